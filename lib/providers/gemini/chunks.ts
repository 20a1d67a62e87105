// The chunks of Gemini's answers: parts of kinds that are not known are left out, and members that no answer needs.
import { isObject, type Members, parseObject } from '../../platform/json.ts';
import { type ChunkReader, countsIn, fitting, isText } from '../http/chunk-reader.ts';

export function createGeminiChunkReader(): ChunkReader {
  const take = (chunk: unknown): readonly unknown[] => {
    if (!isObject(chunk)) return [];
    if (isObject(chunk.error) || isText(chunk.error)) return [chunk];
    const candidates = Array.isArray(chunk.candidates)
      ? chunk.candidates.filter(isObject).map(fitCandidate)
      : undefined;
    const { responseId, promptFeedback, usageMetadata } = chunk;
    const { blockReason } = isObject(promptFeedback) ? promptFeedback : {};
    const usage = isObject(usageMetadata) ? countsIn(usageMetadata) : undefined;
    if (candidates === undefined && usage === undefined && blockReason === undefined) return [];
    return [
      {
        ...(isText(responseId) && { responseId }),
        ...(candidates && { candidates }),
        ...(usage && { usageMetadata: usage }),
        ...(isText(blockReason) && { promptFeedback: { blockReason } }),
      },
    ];
  };
  return {
    take,
    whole: (answer) => (Array.isArray(answer.candidates) || isObject(answer.promptFeedback) ? take(answer) : undefined),
  };
}

function fitCandidate(candidate: Members): Members {
  const { content, finishReason, finishMessage, continuationToken } = candidate;
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : undefined;
  const texts = { finishReason: isText, finishMessage: isText, continuationToken: isText };
  return {
    ...fitting({ finishReason, finishMessage, continuationToken }, texts),
    content: parts && { parts: parts.flatMap(fitPart) },
  };
}

function fitPart(part: unknown): readonly Members[] {
  if (!isObject(part)) return [];
  const { functionCall: call, text, thought, thoughtSignature } = part;
  const more = fitting({ thought, thoughtSignature }, { thought: (it) => it === true, thoughtSignature: isText });
  if (isObject(call)) return isText(call.name) ? [{ ...more, functionCall: fitCall(call) }] : [];
  if (isText(text) || isText(thoughtSignature)) return [{ ...more, text: isText(text) ? text : '' }];
  return [];
}

function fitCall({ args, ...call }: Members): Members {
  const object = isText(args) ? (parseObject(args) ?? args) : args;
  return { ...fitting(call, { id: isText, willContinue: (it) => typeof it === 'boolean' }), args: object };
}
