// A session of Claude Code. It sends a result to the model only where the results of all calls of an answer are in the
// next record: one record for the calls of a step, one for their results.
import { stepsOf } from '../answer-steps.ts';
import { jsonLines, recordId, slugOf } from '../record-ids.ts';
import type { Target, WrittenCall, WrittenPiece, WrittenSession } from '../target.ts';

export const claude: Target = {
  name: 'claude',
  hasPictures: true,
  tellsFailures: true,
  folder: slugOf,
  pathOf: ({ id, folder }) => `${folder}/${id}.jsonl`,
  contentOf,
  command: (id) => ['claude', '--resume', id],
};

/** Nothing here is an answer that was paid for. */
const USAGE = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function contentOf({ id, cwd, items, mark, startedAt }: WrittenSession): string {
  const records: object[] = [{ type: 'ollm-handover', sessionId: id, timestamp: startedAt, ...mark }];
  let parentUuid: string | null = null;
  const add = (type: 'user' | 'assistant', timestamp: string, content: readonly object[], isCall = false) => {
    const uuid = recordId(id, records.length);
    const base = { parentUuid, isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.0' };
    const message =
      type === 'user'
        ? { role: 'user', content }
        : {
            ...{ id: `msg_${records.length}_${id.slice(0, 8)}`, type: 'message', role: 'assistant', model: 'handover' },
            ...{ content, stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null, usage: USAGE },
          };
    records.push({ ...base, gitBranch: '', type, uuid, timestamp, message });
    parentUuid = uuid;
  };
  for (const step of stepsOf(items)) {
    if (step.kind === 'message') {
      add(step.message.role, step.message.at, step.message.pieces.map(blockOf));
      continue;
    }
    const { before, calls } = step;
    const asked = calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.args }));
    add('assistant', (before ?? calls[0]!).at, [...(before?.pieces ?? []).map(blockOf), ...asked], true);
    add('user', calls.at(-1)!.at, calls.map(resultOf));
  }
  return jsonLines(records);
}

function blockOf(piece: WrittenPiece): object {
  return piece.kind === 'text'
    ? { type: 'text', text: piece.text }
    : { type: 'image', source: { type: 'base64', media_type: piece.mediaType, data: piece.base64 } };
}

function resultOf({ id, result, isError, pictures }: WrittenCall): object {
  const images = pictures.map((picture) => blockOf({ kind: 'picture', ...picture }));
  const content = images.length === 0 ? result : [{ type: 'text', text: result }, ...images];
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}
