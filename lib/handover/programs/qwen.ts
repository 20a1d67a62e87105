// A session of Qwen Code: a chain of records, the calls of a step in one, each result in one of its own.
import { stepsOf, textOf } from '../answer-steps.ts';
import { jsonLines, recordId, slugOf } from '../record-ids.ts';
import type { Target, WrittenSession } from '../target.ts';

export const qwen: Target = {
  name: 'qwen',
  hasPictures: false,
  joinsTexts: true,
  tellsFailures: true,
  folder: slugOf,
  pathOf: ({ id, folder }) => `${folder}/chats/${id}.jsonl`,
  contentOf,
  command: (id) => ['qwen', '--resume', id],
};

function contentOf({ id, cwd, items, mark }: WrittenSession): string {
  const records: object[] = [];
  let parentUuid: string | null = null;
  const add = (type: string, timestamp: string, parts: readonly object[], more: object = {}) => {
    const uuid = recordId(id, records.length);
    const role = type === 'assistant' ? 'model' : 'user';
    const first = parentUuid === null ? { handover: mark } : {};
    const base = { uuid, parentUuid, sessionId: id, timestamp, type, cwd, version: '0.20.0', ...first };
    records.push({ ...base, message: { role, parts }, ...more });
    parentUuid = uuid;
  };
  const ofModel = { model: 'handover' };
  for (const step of stepsOf(items)) {
    if (step.kind === 'message') {
      const { role, at } = step.message;
      const parts = [{ text: textOf(step.message) }];
      if (role === 'user') add('user', at, parts, { provenance: 'real_user' });
      else add('assistant', at, parts, ofModel);
      continue;
    }
    const { before, calls } = step;
    const asked = calls.map(({ id: callId, name, args }) => ({ functionCall: { id: callId, name, args } }));
    const texts = before === undefined ? [] : [{ text: textOf(before) }];
    add('assistant', (before ?? calls[0]!).at, [...texts, ...asked], ofModel);
    for (const { id: callId, name, result, isError, at } of calls) {
      const response = isError ? { error: result } : { output: result };
      const toolCallResult = { callId, status: isError ? 'error' : 'success' };
      add('tool_result', at, [{ functionResponse: { id: callId, name, response } }], { toolCallResult });
    }
  }
  return jsonLines(records);
}
