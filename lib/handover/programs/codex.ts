// A session of Codex, as it writes those that it continues from older versions: only items, each call with its output.
import { stepsOf } from '../answer-steps.ts';
import { jsonLines } from '../record-ids.ts';
import type { Target, WrittenCall, WrittenMessage, WrittenSession } from '../target.ts';

export const codex: Target = {
  name: 'codex',
  hasPictures: true,
  tellsFailures: false,
  // JSON around an output is unwrapped by versions that wrote it so.
  resultMarker: /^\s*\{/,
  folder: () => '',
  pathOf: ({ id, startedAt }) => {
    const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(startedAt)!;
    return `${year}/${month}/${day}/rollout-${year}-${month}-${day}T${time!.replaceAll(':', '-')}-${id}.jsonl`;
  },
  contentOf,
  command: (id) => ['codex', 'resume', id],
};

function contentOf({ id, cwd, items, mark, startedAt }: WrittenSession): string {
  const meta = { id, timestamp: startedAt, cwd, originator: 'ollm_handover', cli_version: '0.100.0', handover: mark };
  const records: object[] = [{ timestamp: startedAt, type: 'session_meta', payload: meta }];
  const add = (timestamp: string, payload: object) => records.push({ timestamp, type: 'response_item', payload });
  for (const step of stepsOf(items)) {
    const message = step.kind === 'message' ? step.message : step.before;
    if (message !== undefined) add(message.at, messageItem(message));
    if (step.kind === 'message') continue;
    for (const { id: call_id, name, args, at } of step.calls) {
      add(at, { type: 'function_call', name, arguments: JSON.stringify(args), call_id });
    }
    for (const call of step.calls) {
      add(call.at, { type: 'function_call_output', call_id: call.id, output: outputOf(call) });
    }
  }
  return jsonLines(records);
}

function messageItem({ role, pieces }: WrittenMessage): object {
  const content = pieces.map((piece) => {
    if (piece.kind === 'picture') return pictureItem(piece);
    return { type: role === 'user' ? 'input_text' : 'output_text', text: piece.text };
  });
  return { type: 'message', role, content };
}

function pictureItem({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): object {
  return { type: 'input_image', image_url: `data:${mediaType};base64,${base64}` };
}

function outputOf({ result, pictures }: WrittenCall): unknown {
  return pictures.length === 0 ? result : [{ type: 'input_text', text: result }, ...pictures.map(pictureItem)];
}
