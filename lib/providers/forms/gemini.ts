// Contents of Gemini's API. Signatures of thoughts go back on the part that they came with.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject } from '../../platform/json.ts';
import { digestOf } from '../ai-sdk/opaque.ts';
import { objectIn } from '../http/read-answer.ts';
import type { ModelToolCall } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { base64Of, type Form, outputOf, type Prompted, withoutSystem } from './form.ts';
import {
  elsewhere,
  ended,
  fileOf,
  type GivenFinish,
  type GivenMessage,
  type GivenPart,
  type GivenResult,
  givenUsage,
  notOfForm,
  textPart,
  unknownPart,
} from './given.ts';
import type { GeminiContent, GeminiContents, GeminiPart } from './message-forms.ts';

type Signed = Pick<GeminiPart, 'thoughtSignature'>;

const NAME = 'gemini';
/** Later models refuse a call without a signature. */
const CHECKS_NO_SIGNATURES = /(?:^|\/)gemini-(?:pro|1|2)(?:[.-]|$)/;
/** The signature of a call that was never signed: https://ai.google.dev/gemini-api/docs/thought-signatures */
const NOT_SIGNED = 'skip_thought_signature_validator';
const FINISHES: Readonly<Record<string, GivenFinish>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
};

export const geminiForm: Form<GeminiContents> = {
  provider: 'gemini',
  rules: { shows: SHOWS.gemini, imagesInResults: true },
  write: (prompt, model) => {
    const { system, messages } = withoutSystem(prompt);
    const unsigned = CHECKS_NO_SIGNATURES.test(model) ? {} : { thoughtSignature: NOT_SIGNED };
    return {
      systemInstruction: { parts: [{ text: system }] },
      contents: messages.map((message) => written(message, unsigned)).filter(({ parts }) => parts.length > 0),
    };
  },
  read: (given, newId) => {
    if (Array.isArray(given)) return given.flatMap((each) => readContent(each, newId));
    const { candidates } = objectIn(given);
    return Array.isArray(candidates) ? readAnswer(objectIn(given), candidates[0], newId) : readContent(given, newId);
  },
};

function written(message: LanguageModelV4Prompt[number], unsigned: Signed): GeminiContent {
  switch (message.role) {
    case 'system':
      return { role: 'user', parts: [{ text: message.content }] };
    case 'user':
      return { role: 'user', parts: message.content.map(userPart) };
    case 'assistant':
      return { role: 'model', parts: message.content.flatMap((part) => answerPart(part, unsigned)) };
    case 'tool':
      return { role: 'user', parts: message.content.flatMap((part) => ('toolName' in part ? result(part) : [])) };
  }
}

function userPart(part: Prompted<'user'>['content'][number]): GeminiPart {
  if (part.type === 'text') return { text: part.text };
  return { inlineData: { mimeType: part.mediaType, data: base64Of(part) } };
}

function answerPart(part: Prompted<'assistant'>['content'][number], unsigned: Signed): GeminiPart[] {
  const { thoughtSignature } = objectIn(part.providerOptions, 'google');
  const signed: Signed = typeof thoughtSignature === 'string' ? { thoughtSignature } : {};
  switch (part.type) {
    case 'text':
      return [{ text: part.text, ...signed }];
    case 'reasoning':
      return part.text === '' && signed.thoughtSignature === undefined
        ? []
        : [{ text: part.text, thought: true, ...signed }];
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      return [{ functionCall: { id, name, args: isObject(input) ? input : { value: input } }, ...unsigned, ...signed }];
    }
    default:
      return [];
  }
}

function result(part: Extract<Prompted<'tool'>['content'][number], { type: 'tool-result' }>): GeminiPart[] {
  const { text, isError, files } = outputOf(part);
  const { toolCallId: id, toolName: name } = part;
  return [
    { functionResponse: { id, name, response: isError ? { error: text } : { output: text } } },
    ...files.map(({ mediaType, base64 }) => ({ inlineData: { mimeType: mediaType, data: base64 } })),
  ];
}

function readAnswer(
  { modelVersion, usageMetadata }: Readonly<Record<string, unknown>>,
  candidate: unknown,
  newId: () => string,
): readonly GivenMessage[] {
  const { content, finishReason } = objectIn(candidate);
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } =
    objectIn(usageMetadata);
  const thoughts = typeof thoughtsTokenCount === 'number' ? thoughtsTokenCount : 0;
  const said = typeof candidatesTokenCount === 'number' ? candidatesTokenCount + thoughts : undefined;
  const finish = FINISHES[String(finishReason)] ?? 'other';
  return ended(readContent(content, newId), {
    finish: ({ calls }) => (finish === 'stop' && calls.length > 0 ? 'tool-calls' : finish),
    model: modelVersion,
    usage: givenUsage({
      inputTokens: promptTokenCount,
      outputTokens: said,
      cachedTokens: cachedContentTokenCount,
      reasoningTokens: thoughtsTokenCount,
    }),
  });
}

function readContent(given: unknown, newId: () => string): readonly GivenMessage[] {
  if (!isObject(given)) throw notOfForm(NAME, 'it is not an object.');
  const { role = 'user', parts } = given;
  if (!Array.isArray(parts)) throw notOfForm(NAME, 'it has no parts.');
  if (role === 'model') return [readModel(parts, newId)];
  if (role !== 'user' && role !== 'function') throw notOfForm(NAME, `it has the role ${JSON.stringify(role)}.`);
  const results = parts.flatMap(readResult);
  const said = parts.flatMap((part: unknown) => (objectIn(part).functionResponse === undefined ? readPart(part) : []));
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, results }]),
    ...(said.length === 0 ? [] : [{ role: 'user' as const, parts: said }]),
  ];
}

function readModel(parts: readonly unknown[], newId: () => string): GivenMessage {
  const said: GivenPart[] = [];
  const calls: ModelToolCall[] = [];
  for (const part of parts) {
    const { functionCall, thoughtSignature } = objectIn(part);
    if (functionCall === undefined) {
      said.push(...readPart(part));
      continue;
    }
    const { id, name, args } = objectIn(functionCall);
    if (typeof name !== 'string') throw notOfForm(NAME, 'a call names no function.');
    const callId = typeof id === 'string' && id !== '' ? id : newId();
    calls.push({ callId, name, args: args ?? {} });
    if (typeof thoughtSignature === 'string')
      said.push({ type: 'reasoning', opaque: { kind: 'call', metadata: { google: { thoughtSignature } }, callId } });
  }
  return { role: 'assistant', parts: said, calls };
}

function readResult(part: unknown): readonly GivenResult[] {
  const { functionResponse } = objectIn(part);
  if (functionResponse === undefined) return [];
  const { id, name, response } = objectIn(functionResponse);
  const members = objectIn(response);
  const isError = members.error !== undefined && members.output === undefined;
  const value = isError ? members.error : Object.keys(members).join() === 'output' ? members.output : response;
  return [
    {
      ...(typeof id === 'string' && id !== '' ? { callId: id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      status: isError ? 'error' : 'ok',
      content: typeof value === 'string' ? value : JSON.stringify(value ?? null),
      files: [],
    },
  ];
}

function readPart(part: unknown): readonly GivenPart[] {
  const { text, thought, thoughtSignature, inlineData, fileData } = objectIn(part);
  const metadata = typeof thoughtSignature === 'string' ? { google: { thoughtSignature } } : undefined;
  if (typeof text === 'string') {
    if (thought !== true)
      return [
        ...textPart(text),
        ...(metadata ? [{ type: 'reasoning' as const, opaque: { kind: 'text' as const, metadata } }] : []),
      ];
    const opaque = metadata && { kind: 'reasoning' as const, metadata, digest: digestOf(text) };
    return [{ type: 'reasoning', text, ...(opaque ? { opaque } : {}) }];
  }
  if (inlineData !== undefined) {
    const { mimeType, data, displayName } = objectIn(inlineData);
    return [fileOf(data, { mediaType: mimeType, name: displayName })];
  }
  if (fileData !== undefined) {
    const { mimeType, fileUri } = objectIn(fileData);
    return [elsewhere(mimeType, String(fileUri))];
  }
  return [unknownPart(Object.keys(objectIn(part))[0] ?? 'part', part)];
}
