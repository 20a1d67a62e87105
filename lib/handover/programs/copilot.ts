// A session of Copilot CLI: a log of its actions, in a folder of the session.
import { stepsOf, textOf } from '../answer-steps.ts';
import { jsonLines, recordId } from '../record-ids.ts';
import type { Target, WrittenSession } from '../target.ts';

export const copilot: Target = {
  name: 'copilot',
  hasPictures: false,
  joinsTexts: true,
  tellsFailures: true,
  folder: () => '',
  pathOf: ({ id }) => `${id}/events.jsonl`,
  contentOf,
  command: (id) => ['copilot', `--resume=${id}`],
};

function contentOf({ id, cwd, items, mark, startedAt }: WrittenSession): string {
  const records: object[] = [];
  let parentId: string | null = null;
  const add = (type: string, timestamp: string, data: object) => {
    const own = recordId(id, records.length);
    records.push({ type, data, id: own, timestamp, parentId });
    parentId = own;
  };
  const about = { version: 1, producer: 'copilot-agent', copilotVersion: '1.0.0' };
  add('session.start', startedAt, { sessionId: id, ...about, startTime: startedAt, context: { cwd }, handover: mark });
  const answer = (at: string, content: string, toolRequests: readonly object[]) =>
    add('assistant.message', at, { messageId: recordId(id, records.length), content, toolRequests });
  for (const step of stepsOf(items)) {
    if (step.kind === 'message') {
      const { role, at } = step.message;
      const content = textOf(step.message);
      if (role === 'user') add('user.message', at, { content, attachments: [] });
      else answer(at, content, []);
      continue;
    }
    const { before, calls } = step;
    const asked = calls.map((call) => ({
      ...{ toolCallId: call.id, name: call.name, arguments: call.args, type: 'function' },
    }));
    answer((before ?? calls[0]!).at, before === undefined ? '' : textOf(before), asked);
    for (const { id: toolCallId, name, args, at } of calls) {
      add('tool.execution_start', at, { toolCallId, toolName: name, arguments: args });
    }
    for (const { id: toolCallId, result, isError, at } of calls) {
      const end = isError ? { error: { message: result, code: 'failure' } } : { result: { content: result } };
      add('tool.execution_complete', at, { toolCallId, success: !isError, ...end });
    }
  }
  return jsonLines(records);
}
