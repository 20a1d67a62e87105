// Messages as `generateText` and `streamText` of the AI SDK take them and give them back.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject } from '../../platform/json.ts';
import { digestOf, type Opaque } from '../ai-sdk/opaque.ts';
import { listIn, objectIn } from '../http/read-answer.ts';
import type { ReportedUsage } from '../provider.ts';
import { base64Of, type Form, outputOf, type Prompted, withoutSystem } from './form.ts';
import {
  contentOf,
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
import type {
  AiSdkCall,
  AiSdkCustom,
  AiSdkFile,
  AiSdkMessage,
  AiSdkMessages,
  AiSdkPartOptions,
  AiSdkReasoning,
  AiSdkResult,
  AiSdkText,
} from './message-forms.ts';

const NAME = 'ai-sdk';
const FINISHES: Readonly<Record<string, GivenFinish>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool-calls',
  'content-filter': 'content-filter',
};

export const aiSdkForm: Form<AiSdkMessages> = {
  // What a model cannot be shown, its package says when it is asked.
  rules: { shows: (mediaType) => /^image\/|^application\/pdf$/.test(mediaType), imagesInResults: true },
  write: (prompt) => {
    const { system, messages } = withoutSystem(prompt);
    return { system, messages: messages.map(written) };
  },
  read: (given) => {
    if (Array.isArray(given)) return given.flatMap(readMessage);
    const { responseMessages, steps } = objectIn(given);
    if (Array.isArray(responseMessages) && Array.isArray(steps)) return readSteps(responseMessages, steps);
    const response = objectIn(given, 'response');
    return Array.isArray(response.messages) ? readAnswer(given, response.messages) : readMessage(given);
  },
};

function written(message: LanguageModelV4Prompt[number]): AiSdkMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: message.content.map(userPart) };
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap(assistantPart) };
    case 'tool':
      return { role: 'tool', content: message.content.flatMap((part) => ('toolName' in part ? [result(part)] : [])) };
  }
}

function userPart(part: Prompted<'user'>['content'][number]): AiSdkText | AiSdkFile {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, filename } = part;
  return { type: 'file', mediaType, data: base64Of(part), ...(filename === undefined ? {} : { filename }) };
}

function assistantPart(
  part: Prompted<'assistant'>['content'][number],
): (AiSdkText | AiSdkReasoning | AiSdkCall | AiSdkCustom)[] {
  const options =
    part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions as AiSdkPartOptions };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...options }];
    case 'tool-call': {
      const { type, toolCallId, toolName, input } = part;
      return [{ type, toolCallId, toolName, input, ...options }];
    }
    case 'custom':
      return [{ type: 'custom', kind: part.kind, ...options }];
    default:
      return [];
  }
}

function result(part: Extract<Prompted<'tool'>['content'][number], { type: 'tool-result' }>): AiSdkResult {
  const { toolCallId, toolName } = part;
  const { text, isError, files } = outputOf(part);
  if (files.length === 0)
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: isError ? 'error-text' : 'text', value: text },
    };
  const images = files.map(({ mediaType, base64 }) => ({ type: 'file-data' as const, mediaType, data: base64 }));
  const value = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images];
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'content', value } };
}

/** The result of `generateText`: each step is a request. The messages before them are of approved calls. */
function readSteps(all: readonly unknown[], steps: readonly unknown[]): readonly GivenMessage[] {
  const read = steps.map((step) => ({ step, messages: listIn(objectIn(step, 'response'), 'messages') }));
  const before = all.slice(0, all.length - read.flatMap(({ messages }) => messages).length);
  return [...before.flatMap(readMessage), ...read.flatMap(({ step, messages }) => readAnswer(step, messages))];
}

/** A request, or the result of an older version: the last answer has the finish and the usage. */
function readAnswer(given: unknown, messages: readonly unknown[]): readonly GivenMessage[] {
  const { finishReason, totalUsage, usage, response } = objectIn(given);
  return ended(messages.flatMap(readMessage), {
    finish: () => FINISHES[String(finishReason)] ?? 'other',
    model: objectIn(response).modelId,
    usage: usageOf(totalUsage ?? usage),
  });
}

function usageOf(usage: unknown): ReportedUsage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = objectIn(usage);
  const [input, output] = [objectIn(usage, 'inputTokenDetails'), objectIn(usage, 'outputTokenDetails')];
  return givenUsage({
    inputTokens,
    outputTokens,
    cachedTokens: input.cacheReadTokens ?? cachedInputTokens,
    cacheWriteTokens: input.cacheWriteTokens,
    reasoningTokens: output.reasoningTokens ?? reasoningTokens,
  });
}

function readMessage(given: unknown): readonly GivenMessage[] {
  if (!isObject(given)) throw notOfForm(NAME, 'it is not an object.');
  const { role, content } = given;
  if (typeof content !== 'string' && !Array.isArray(content)) throw notOfForm(NAME, 'it has no content.');
  const parts: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  switch (role) {
    case 'system':
    case 'user':
      return [{ role, parts: parts.flatMap(readPart) }];
    case 'assistant':
      return readAssistant(parts);
    case 'tool':
      return [{ role, results: parts.flatMap(readResult) }];
    default:
      throw notOfForm(NAME, `it has the role ${JSON.stringify(role)}.`);
  }
}

/** Results of tools that run at the vendor come in the answer itself: they end a message of it. */
function readAssistant(parts: readonly unknown[]): readonly GivenMessage[] {
  const messages: GivenMessage[] = [];
  let [said, calls]: [GivenPart[], { callId: string; name: string; args: unknown }[]] = [[], []];
  const close = () => {
    if (said.length + calls.length > 0) messages.push({ role: 'assistant', parts: said, calls });
    [said, calls] = [[], []];
  };
  for (const part of parts) {
    const { type, toolCallId, toolName, input } = objectIn(part);
    if (type === 'tool-call') {
      const call = { callId: String(toolCallId), name: String(toolName), args: input };
      said.push(...markOf(metadataOf(part), call.callId));
      calls.push(call);
    } else if (type === 'tool-result') {
      close();
      messages.push({ role: 'tool', results: readResult(part) });
    } else said.push(...readPart(part));
  }
  close();
  return messages;
}

/** The mark of its vendor on a call, which goes back with it. */
export function markOf(metadata: unknown, callId: string): readonly GivenPart[] {
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return [];
  return [{ type: 'reasoning', opaque: { kind: 'call', metadata: metadata as Opaque['metadata'], callId } }];
}

export function readPart(part: unknown): readonly GivenPart[] {
  const members = objectIn(part);
  const { type, text, data, image, mediaType, filename } = members;
  const metadata = metadataOf(part);
  switch (type) {
    case 'text':
      return [
        ...textPart(text),
        ...(metadata ? [{ type: 'reasoning' as const, opaque: { kind: 'text' as const, metadata } }] : []),
      ];
    case 'reasoning': {
      const thought = String(text ?? '');
      const opaque: Opaque | undefined = metadata && { kind: 'reasoning', metadata, digest: digestOf(thought) };
      return [{ type: 'reasoning', ...(thought === '' ? {} : { text: thought }), ...(opaque ? { opaque } : {}) }];
    }
    case 'image':
    case 'file': {
      const about = { mediaType, name: filename, usualType: type === 'image' ? 'image/png' : undefined };
      const content = image ?? data;
      const tagged = objectIn(content);
      if (tagged.type === 'text') return textPart(tagged.text);
      return [fileOf(tagged.type === 'data' ? tagged.data : tagged.type === 'url' ? tagged.url : content, about)];
    }
    case undefined:
      throw notOfForm(NAME, 'a part of it has no type.');
    default:
      return [unknownPart(String(type), part)];
  }
}

function readResult(part: unknown): readonly GivenResult[] {
  const { type, toolCallId, toolName, output } = objectIn(part);
  if (type !== 'tool-result') return [];
  const { type: kind, value, reason } = objectIn(output);
  const about = { callId: String(toolCallId), name: String(toolName) };
  switch (kind) {
    case 'text':
    case 'error-text':
      return [{ ...about, status: kind === 'text' ? 'ok' : 'error', content: String(value), files: [] }];
    case 'execution-denied':
      return [{ ...about, status: 'denied', content: String(reason ?? ''), files: [] }];
    case 'content': {
      const parts = (Array.isArray(value) ? value : []).flatMap(readContent);
      return [{ ...about, status: 'ok', ...contentOf(parts) }];
    }
    default:
      return [
        {
          ...about,
          status: kind === 'error-json' ? 'error' : 'ok',
          content: JSON.stringify(value ?? output ?? null),
          files: [],
        },
      ];
  }
}

function readContent(part: unknown): readonly GivenPart[] {
  const { type, url, ...rest } = objectIn(part);
  if (type === 'file-data' || type === 'image-data' || type === 'media') return readPart({ ...rest, type: 'file' });
  if (type === 'file-url' || type === 'image-url') return readPart({ ...rest, type: 'file', data: url });
  return readPart(part);
}

function metadataOf(part: unknown): Opaque['metadata'] | undefined {
  const { providerOptions, providerMetadata } = objectIn(part);
  const given = providerOptions ?? providerMetadata;
  return isObject(given) && Object.keys(given).length > 0 ? (given as Opaque['metadata']) : undefined;
}
