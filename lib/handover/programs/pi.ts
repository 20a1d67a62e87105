// A session of pi: a header, and a chain of entries, each result in a message of its own.
import { stepsOf } from '../answer-steps.ts';
import { jsonLines } from '../record-ids.ts';
import type { Target, WrittenPiece, WrittenSession } from '../target.ts';

export const pi: Target = {
  name: 'pi',
  hasPictures: false,
  tellsFailures: true,
  folder: (cwd) => `--${cwd.replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')}--`,
  pathOf: ({ id, startedAt, folder }) => `${folder}/${startedAt.replaceAll(/[:.]/g, '-')}_${id}.jsonl`,
  contentOf,
  command: (id) => ['pi', '--session', id],
};

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const USAGE = { ...NOTHING, totalTokens: 0, cost: { ...NOTHING, total: 0 } };
const OF_MODEL = { api: 'openai-completions', provider: 'handover', model: 'handover', usage: USAGE };

function contentOf({ id, cwd, items, mark, startedAt }: WrittenSession): string {
  const records: object[] = [{ type: 'session', version: 3, id, timestamp: startedAt, cwd }];
  let parentId: string | null = null;
  const add = (timestamp: string, entry: object) => {
    const own = records.length.toString(16).padStart(8, '0');
    records.push({ ...entry, id: own, parentId, timestamp });
    parentId = own;
  };
  const say = (at: string, message: object) =>
    add(at, { type: 'message', message: { ...message, timestamp: Date.parse(at) } });
  add(startedAt, { type: 'custom', customType: 'ollm-handover', data: mark });
  for (const step of stepsOf(items)) {
    if (step.kind === 'message') {
      const { role, at, pieces } = step.message;
      const content = pieces.map(blockOf);
      if (role === 'user') say(at, { role, content });
      else say(at, { role, content, ...OF_MODEL, stopReason: 'stop' });
      continue;
    }
    const { before, calls } = step;
    const asked = calls.map((call) => ({ type: 'toolCall', id: call.id, name: call.name, arguments: call.args }));
    const content = [...(before?.pieces ?? []).map(blockOf), ...asked];
    say((before ?? calls[0]!).at, { role: 'assistant', content, ...OF_MODEL, stopReason: 'toolUse' });
    for (const { id: toolCallId, name, result, isError, at } of calls) {
      const texts = [{ type: 'text', text: result }];
      say(at, { role: 'toolResult', toolCallId, toolName: name, content: texts, isError });
    }
  }
  return jsonLines(records);
}

function blockOf(piece: WrittenPiece): object {
  return { type: 'text', text: piece.kind === 'text' ? piece.text : '' };
}
