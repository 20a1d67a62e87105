// The events of OpenAI's Responses API that an answer is made of: of items, those that a turn uses. Others are passed
// over: tools that run at the vendor, and kinds to come.
import { isObject, type Members } from '../../platform/json.ts';
import { argumentsText, type ChunkReader, countsIn, fitting, isNumber, isText } from '../http/chunk-reader.ts';

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);
const ERRORS = new Set(['error', 'response.error']);
/** With an item that they belong to; the member that each brings. */
const DELTAS: Readonly<Record<string, string>> = {
  'response.output_text.delta': 'delta',
  'response.refusal.delta': 'delta',
  'response.refusal.done': 'refusal',
  'response.function_call_arguments.delta': 'delta',
  'response.function_call_arguments.done': 'arguments',
  'response.reasoning_summary_text.delta': 'delta',
};
const SUMMARY_PARTS = new Set(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done']);

export function createResponseChunkReader(): ChunkReader {
  return { take, whole: (answer) => wholeResponse(answer)?.flatMap(take) };
}

function take(chunk: unknown): readonly unknown[] {
  if (!isObject(chunk)) return [];
  const { type } = chunk;
  if (!isText(type)) return isObject(chunk.error) || isText(chunk.error) || isChat(chunk) ? [chunk] : [];
  if (ERRORS.has(type)) return [chunk];
  const place = { output_index: 0, item_id: '', ...fitting(chunk, { output_index: isNumber, item_id: isText }) };
  if (ENDS.has(type)) return [{ sequence_number: 0, type, response: fitResponse(chunk.response) }];
  if (type === 'response.created') {
    const { id, created_at, model } = isObject(chunk.response) ? chunk.response : {};
    const known = isText(id) && isNumber(created_at) && isText(model);
    return known ? [{ type, response: { id, created_at, model } }] : [];
  }
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    const item = fitItem(chunk.item);
    return item === undefined ? [] : [{ ...place, item }];
  }
  if (SUMMARY_PARTS.has(type)) return [{ summary_index: 0, ...place }];
  if (type === 'response.output_text.annotation.added') return [];
  const name = DELTAS[type];
  if (name === undefined) return [];
  const value = type.startsWith('response.function_call') ? argumentsText(chunk[name]) : chunk[name];
  return isText(value) ? [{ summary_index: 0, ...place, logprobs: undefined, [name]: value }] : [];
}

/** A chunk of chat completions: for these the package has words of its own. */
function isChat(chunk: Members): boolean {
  return chunk.object === 'chat.completion.chunk';
}

function fitItem(item: unknown): Members | undefined {
  if (!isObject(item)) return undefined;
  const { type, phase, encrypted_content: encrypted, call_id, name, status } = item;
  const id = isText(item.id) ? item.id : '';
  const text = argumentsText(item.arguments);
  switch (type) {
    case 'message':
      return { type, id, ...((phase === 'commentary' || phase === 'final_answer') && { phase }) };
    case 'reasoning':
      return { type, id, ...(isText(encrypted) && { encrypted_content: encrypted }) };
    case 'function_call':
      if (!isText(name)) return undefined;
      return {
        type,
        id,
        call_id: isText(call_id) ? call_id : id,
        name,
        arguments: text,
        status: status ?? 'completed',
      };
    default:
      return undefined;
  }
}

function fitResponse(response: unknown): Members {
  const { usage, incomplete_details: details, error } = isObject(response) ? response : {};
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = isObject(usage) ? usage : {};
  return {
    ...(isObject(details) && isText(details.reason) && { incomplete_details: { reason: details.reason } }),
    ...(isObject(error) && { error: { message: 'unknown', ...error } }),
    ...(isNumber(input_tokens) &&
      isNumber(output_tokens) && {
        usage: {
          input_tokens,
          output_tokens,
          ...(isObject(input_tokens_details) && { input_tokens_details: countsIn(input_tokens_details) }),
          ...(isObject(output_tokens_details) && { output_tokens_details: countsIn(output_tokens_details) }),
        },
      }),
  };
}

function wholeResponse(answer: Members): readonly unknown[] | undefined {
  const { output, status, incomplete_details: details } = answer;
  if (!Array.isArray(output)) return undefined;
  const end =
    status === 'failed' ? 'failed' : status === 'incomplete' || isObject(details) ? 'incomplete' : 'completed';
  return [
    { type: 'response.created', response: answer },
    ...output.flatMap((item: unknown, index) => wholeItem(isObject(item) ? item : {}, index)),
    { type: `response.${end}`, response: answer },
  ];
}

function wholeItem(item: Members, output_index: number): readonly unknown[] {
  const place = { output_index, item_id: item.id };
  const texts = (list: unknown) => (Array.isArray(list) ? list.filter(isObject) : []);
  return [
    { type: 'response.output_item.added', ...place, item: { ...item, arguments: '' } },
    ...texts(item.summary).flatMap(({ text }, summary_index) => [
      { type: 'response.reasoning_summary_part.added', ...place, summary_index },
      { type: 'response.reasoning_summary_text.delta', ...place, summary_index, delta: text },
      { type: 'response.reasoning_summary_part.done', ...place, summary_index },
    ]),
    ...texts(item.content).map(({ text, refusal }) =>
      refusal === undefined
        ? { type: 'response.output_text.delta', ...place, delta: text }
        : { type: 'response.refusal.delta', ...place, delta: refusal },
    ),
    { type: 'response.output_item.done', ...place, item },
  ];
}
