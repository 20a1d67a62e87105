// A session of Gemini CLI: a header, and a record for each message, with its calls and their results in it.
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { objectIn, parseObject, textIn } from '../../agents/members.ts';
import { stepsOf, textOf } from '../answer-steps.ts';
import { jsonLines, recordId } from '../record-ids.ts';
import type { ProjectLooking, Target, WrittenCall, WrittenSession } from '../target.ts';

export const gemini: Target = {
  name: 'gemini',
  hasPictures: false,
  joinsTexts: true,
  tellsFailures: true,
  caution:
    'Gemini CLI deletes a session that was resumed in a later minute than it was written when it is started the next time. The original stays where it is.',
  folder,
  listedAs: ({ id, startedAt }) => `${id.slice(0, 8)}-${startedAt.slice(0, 16).replace(':', '-')}`,
  pathOf: ({ id, startedAt, folder: project }) =>
    `${project}/chats/session-${startedAt.slice(0, 16).replace(':', '-')}-${id.slice(0, 8)}.jsonl`,
  contentOf,
  command: (id) => ['gemini', '--resume', id],
};

/** The short name that the program gave the project, or the hash of its path, which it replaces by one. */
function folder(cwd: string, place: string, looking: ProjectLooking): string {
  const listed = parseObject(looking.readSmall(join(dirname(place), 'projects.json')) ?? '');
  const name = textIn(objectIn(listed?.projects)?.[cwd]);
  return name !== undefined && /^[\w.-]+$/.test(name) && !/^\.+$/.test(name) ? name : hash('sha256', cwd, 'hex');
}

function contentOf({ id, cwd, items, mark, startedAt }: WrittenSession): string {
  const lastUpdated = items.at(-1)?.at ?? startedAt;
  const projectHash = hash('sha256', cwd, 'hex');
  const records: object[] = [
    { sessionId: id, projectHash, startTime: startedAt, lastUpdated, kind: 'main', directories: [cwd], handover: mark },
  ];
  const add = (timestamp: string, message: object) =>
    records.push({ id: recordId(id, records.length), timestamp, ...message });
  for (const step of stepsOf(items)) {
    if (step.kind === 'calls') {
      const { before, calls } = step;
      const content = before === undefined ? '' : textOf(before);
      add((before ?? calls[0]!).at, { type: 'gemini', content, toolCalls: calls.map(callOf), model: 'handover' });
    } else if (step.message.role === 'assistant') {
      add(step.message.at, { type: 'gemini', content: textOf(step.message), model: 'handover' });
    } else add(step.message.at, { type: 'user', content: [{ text: textOf(step.message) }] });
  }
  return jsonLines(records);
}

function callOf({ id, name, args, result, isError, at }: WrittenCall): object {
  const response = isError ? { error: result } : { output: result };
  const functionResponse = { id, name, response };
  const status = isError ? 'error' : 'success';
  return { id, name, args, result: [{ functionResponse }], status, timestamp: at, displayName: name };
}
