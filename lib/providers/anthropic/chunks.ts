// The events of Anthropic's stream that an answer is made of. The vendor may add events, blocks and deltas at any time
// (https://docs.anthropic.com/en/api/versioning): those are passed over, with all that belongs to an unknown block.
import { isObject, type Members } from '../../platform/json.ts';
import { argumentsText, type ChunkReader, fitting, isNumber, isText } from '../http/chunk-reader.ts';

const DELTAS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
};

export function createMessageChunkReader(): ChunkReader {
  const passedOver = new Set<unknown>();
  const take = (chunk: unknown): readonly unknown[] => {
    if (!isObject(chunk)) return [];
    const { type, index } = chunk;
    switch (type) {
      case 'error':
      case 'message_stop':
      case 'ping':
        return [chunk];
      case 'message_start':
        return [{ type, message: fitMessage(chunk.message) }];
      case 'content_block_start': {
        const block = fitBlock(chunk.content_block);
        if (block === undefined) passedOver.add(index);
        else passedOver.delete(index);
        return block === undefined ? [] : [{ type, index, content_block: block }];
      }
      case 'content_block_delta': {
        const delta = passedOver.has(index) ? undefined : fitDelta(chunk.delta);
        return delta === undefined ? [] : [{ type, index, delta }];
      }
      case 'content_block_stop':
        return passedOver.has(index) ? [] : [{ type, index }];
      case 'message_delta':
        return [{ type, delta: fitEnd(chunk.delta), usage: fitUsage(chunk.usage, 'output_tokens') }];
      default:
        // Gateways put errors of their own into the stream.
        return type === undefined && chunk.error ? [chunk] : [];
    }
  };
  return { take, whole: (answer) => wholeMessage(answer)?.flatMap(take) };
}

function fitMessage(message: unknown): Members {
  const { id, model, role, usage } = isObject(message) ? message : {};
  return {
    ...fitting({ id, model, role }, { id: isText, model: isText, role: isText }),
    usage: fitUsage(usage, 'input_tokens'),
  };
}

/** Undefined for a block that is no part of an answer: of tools that run at the vendor, and of kinds to come. */
function fitBlock(block: unknown): Members | undefined {
  if (!isObject(block)) return undefined;
  const { type, text, thinking, id, name, input, data } = block;
  switch (type) {
    case 'text':
      return { type, text: isText(text) ? text : '' };
    case 'thinking':
      return { type, thinking: isText(thinking) ? thinking : '' };
    case 'redacted_thinking':
      return isText(data) ? { type, data } : undefined;
    case 'tool_use':
      if (!isText(name)) return undefined;
      return { type, id: isText(id) ? id : '', name, ...(isObject(input) && { input }) };
    default:
      return undefined;
  }
}

function fitDelta(delta: unknown): Members | undefined {
  if (!isObject(delta) || !isText(delta.type)) return undefined;
  const { type } = delta;
  if (type === 'citations_delta') return isObject(delta.citation) ? { type, citation: delta.citation } : undefined;
  const name = DELTAS[type];
  if (name === undefined) return undefined;
  const value = type === 'input_json_delta' ? argumentsText(delta[name]) : delta[name];
  return isText(value) ? { type, [name]: value } : undefined;
}

function fitEnd(delta: unknown): Members {
  const { stop_reason, stop_sequence } = isObject(delta) ? delta : {};
  return fitting({ stop_reason, stop_sequence }, { stop_reason: isText, stop_sequence: isText });
}

/** `wanted` is 0 where it was not reported, which counts as unknown (turn/request/counted.ts). */
function fitUsage(usage: unknown, wanted: string): Members {
  const given = isObject(usage) ? usage : {};
  const counts = Object.entries(given).filter(([name, value]) => !/_tokens$/.test(name) || isNumber(value));
  const { iterations: _, output_tokens_details: details, ...rest } = Object.fromEntries(counts);
  return {
    ...rest,
    ...(isObject(details) && isNumber(details.thinking_tokens) && { output_tokens_details: details }),
    [wanted]: rest[wanted] ?? 0,
  };
}

function wholeMessage(answer: Members): readonly unknown[] | undefined {
  const { content, stop_reason, usage } = answer;
  if (!Array.isArray(content) || !isText(stop_reason)) return undefined;
  return [
    { type: 'message_start', message: answer },
    ...content.flatMap((block: unknown, index) => wholeBlock(block, index)),
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ];
}

function wholeBlock(block: unknown, index: number): readonly unknown[] {
  const { type, text, thinking, signature, input, ...rest } = isObject(block) ? block : {};
  const deltas = [
    { type: 'text_delta', text },
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
    { type: 'input_json_delta', partial_json: isObject(input) ? JSON.stringify(input) : input },
  ].filter((delta) => Object.values(delta).every((value) => value !== undefined));
  return [
    { type: 'content_block_start', index, content_block: { ...rest, type } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
