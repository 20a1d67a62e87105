// The events of Bedrock's Converse stream, as `{[type]: payload}`: blocks and deltas of unknown kinds are passed over,
// and members that no answer needs.
import { isObject, type Members } from '../../platform/json.ts';
import { argumentsText, type ChunkReader, fitting, isNumber, isText } from '../http/chunk-reader.ts';

const REASONING = ['text', 'signature', 'data', 'redactedContent'] as const;

export function createConverseChunkReader(): ChunkReader {
  /** Blocks of a kind that is not known. */
  const passedOver = new Set<unknown>();
  const take = (chunk: unknown): readonly unknown[] => {
    if (!isObject(chunk)) return [];
    const [[type, payload] = []] = Object.entries(chunk);
    if (!isObject(payload)) return [];
    const { contentBlockIndex = 0 } = payload;
    const at = isNumber(contentBlockIndex) ? contentBlockIndex : 0;
    switch (type) {
      case 'messageStart':
        return [chunk];
      case 'contentBlockStart': {
        const start = fitStart(payload.start);
        if (start === undefined) passedOver.add(at);
        return start === undefined ? [] : [{ [type]: { contentBlockIndex: at, start } }];
      }
      case 'contentBlockDelta': {
        const delta = passedOver.has(at) ? undefined : fitDelta(payload.delta);
        if (delta === payload.delta && at === payload.contentBlockIndex) return [chunk];
        return delta === undefined ? [] : [{ [type]: { contentBlockIndex: at, delta } }];
      }
      case 'contentBlockStop':
        return passedOver.delete(at) ? [] : [{ [type]: { contentBlockIndex: at } }];
      case 'messageStop':
        return isText(payload.stopReason) ? [{ [type]: { stopReason: payload.stopReason } }] : [];
      case 'metadata': {
        const usage = fitUsage(payload.usage);
        return usage === undefined ? [] : [{ [type]: { usage } }];
      }
      default:
        return [];
    }
  };
  return { take, whole: (answer) => wholeConverse(answer)?.flatMap(take) };
}

/** An absent start begins a text. */
function fitStart(start: unknown): Members | undefined {
  if (!isObject(start) || Object.keys(start).length === 0) return {};
  const { toolUse } = start;
  if (!isObject(toolUse) || !isText(toolUse.name)) return undefined;
  return { toolUse: { toolUseId: isText(toolUse.toolUseId) ? toolUse.toolUseId : '', name: toolUse.name } };
}

function fitDelta(delta: unknown): Members | undefined {
  if (!isObject(delta)) return undefined;
  const { text, toolUse, reasoningContent } = delta;
  if (isText(text)) return delta;
  if (isObject(toolUse)) return isText(toolUse.input) ? delta : { toolUse: { input: argumentsText(toolUse.input) } };
  if (isObject(reasoningContent)) return REASONING.some((name) => isText(reasoningContent[name])) ? delta : undefined;
  return undefined;
}

function fitUsage(usage: unknown): Members | undefined {
  if (!isObject(usage)) return undefined;
  const counts = { inputTokens: isNumber, outputTokens: isNumber, totalTokens: isNumber };
  const caches = { cacheReadInputTokens: isNumber, cacheWriteInputTokens: isNumber, cacheDetails: () => false };
  // 0 counts as unknown: see turn/request/counted.ts.
  return { inputTokens: 0, outputTokens: 0, ...fitting(usage, { ...counts, ...caches }) };
}

function wholeConverse(answer: Members): readonly unknown[] | undefined {
  const { output, stopReason, usage } = answer;
  const message = isObject(output) && isObject(output.message) ? output.message : undefined;
  if (message === undefined || !Array.isArray(message.content)) return undefined;
  return [
    { messageStart: { role: 'assistant' } },
    ...message.content.flatMap((block: unknown, contentBlockIndex) => {
      const { toolUse, text, reasoningContent } = isObject(block) ? block : {};
      const start = isObject(toolUse) ? { toolUse } : {};
      const { reasoningText, redactedContent } = isObject(reasoningContent) ? reasoningContent : {};
      const { text: thought, signature } = isObject(reasoningText) ? reasoningText : {};
      const deltas = [
        isText(text) && { text },
        isObject(toolUse) && { toolUse: { input: argumentsText(toolUse.input) } },
        isText(thought) && { reasoningContent: { text: thought } },
        isText(signature) && { reasoningContent: { signature } },
        isText(redactedContent) && { reasoningContent: { redactedContent } },
      ].filter((delta) => delta !== false);
      if (deltas.length === 0) return [];
      return [
        ...(isObject(toolUse) ? [{ contentBlockStart: { contentBlockIndex, start } }] : []),
        ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
        { contentBlockStop: { contentBlockIndex } },
      ];
    }),
    { messageStop: { stopReason: stopReason ?? 'end_turn' } },
    { metadata: { usage } },
  ];
}
