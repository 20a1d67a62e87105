// Messages of Anthropic's API. Thinking goes back with its signature.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject } from '../../platform/json.ts';
import { digestOf } from '../ai-sdk/opaque.ts';
import { objectIn } from '../http/read-answer.ts';
import type { ModelToolCall } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { base64Of, type Form, outputOf, type Prompted, withoutSystem } from './form.ts';
import {
  contentOf,
  elsewhere,
  ended,
  fileOf,
  type GivenFinish,
  type GivenMessage,
  type GivenPart,
  type GivenResult,
  givenUsage,
  notOfForm,
  partsOf,
  textPart,
  unknownPart,
} from './given.ts';
import type {
  AnthropicAnswer,
  AnthropicDocument,
  AnthropicImage,
  AnthropicImageType,
  AnthropicMessage,
  AnthropicMessages,
  AnthropicResult,
  AnthropicText,
} from './message-forms.ts';

const NAME = 'anthropic';
const FINISHES: Readonly<Record<string, GivenFinish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
};

export const anthropicForm: Form<AnthropicMessages> = {
  provider: 'anthropic',
  rules: { shows: SHOWS.anthropic, imagesInResults: true },
  write: (prompt) => {
    const { system, messages } = withoutSystem(prompt);
    return { system, messages: inTurns(messages.map(written)) };
  },
  read: (given, newId) => {
    if (Array.isArray(given)) return given.flatMap((each) => readMessage(each, newId));
    return readMessage(given, newId);
  },
};

function written(message: LanguageModelV4Prompt[number]): AnthropicMessage {
  switch (message.role) {
    case 'system':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'user':
      return { role: 'user', content: message.content.map(userPart) };
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap(answerPart) };
    case 'tool':
      return { role: 'user', content: message.content.flatMap((part) => ('toolName' in part ? [result(part)] : [])) };
  }
}

/** Results and the words of the user after them are one message. */
function inTurns(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const turns: AnthropicMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user' && last?.role === 'user') last.content.push(...message.content);
    else if (message.role === 'assistant' && last?.role === 'assistant') last.content.push(...message.content);
    else if (message.content.length > 0) turns.push(message);
  }
  return turns;
}

function userPart(part: Prompted<'user'>['content'][number]): AnthropicText | AnthropicImage | AnthropicDocument {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return shown(part.mediaType, base64Of(part), part.filename);
}

function shown(mediaType: string, data: string, title?: string | undefined): AnthropicImage | AnthropicDocument {
  if (mediaType !== 'application/pdf')
    return { type: 'image', source: { type: 'base64', media_type: mediaType as AnthropicImageType, data } };
  const source = { type: 'base64' as const, media_type: mediaType, data } as const;
  return { type: 'document', source, ...(title === undefined ? {} : { title }) };
}

function answerPart(part: Prompted<'assistant'>['content'][number]): AnthropicAnswer[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning': {
      const { signature, redactedData } = objectIn(part.providerOptions, 'anthropic');
      if (typeof redactedData === 'string') return [{ type: 'redacted_thinking', data: redactedData }];
      return typeof signature === 'string' ? [{ type: 'thinking', thinking: part.text, signature }] : [];
    }
    case 'tool-call':
      return [{ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input }];
    default:
      return [];
  }
}

function result(part: Extract<Prompted<'tool'>['content'][number], { type: 'tool-result' }>): AnthropicResult {
  const { text, isError, files } = outputOf(part);
  const images = files.map(({ mediaType, base64 }) => shown(mediaType, base64));
  return {
    type: 'tool_result',
    tool_use_id: part.toolCallId,
    content: images.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images],
    ...(isError ? { is_error: true } : {}),
  };
}

function readMessage(given: unknown, newId: () => string): readonly GivenMessage[] {
  if (!isObject(given)) throw notOfForm(NAME, 'it is not an object.');
  const { role, content } = given;
  if (typeof content !== 'string' && !Array.isArray(content)) throw notOfForm(NAME, 'it has no content.');
  const blocks: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (role === 'user') return readUser(blocks);
  if (role === 'system') return [{ role, parts: blocks.flatMap(readBlock) }];
  if (role !== 'assistant') throw notOfForm(NAME, `it has the role ${JSON.stringify(role)}.`);
  const { model, stop_reason, usage } = given;
  const finish = typeof stop_reason === 'string' ? (FINISHES[stop_reason] ?? 'other') : undefined;
  return ended(readAnswer(blocks, newId), { finish: () => finish, model, usage: usageOf(usage) });
}

/** The input includes the tokens that were read from the cache and those that were written to it. */
function usageOf(usage: unknown) {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = objectIn(usage);
  const [read, written] = [Number(cache_read_input_tokens ?? 0), Number(cache_creation_input_tokens ?? 0)];
  return givenUsage({
    inputTokens: typeof input_tokens === 'number' ? input_tokens + read + written : undefined,
    outputTokens: output_tokens,
    ...(read > 0 ? { cachedTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  });
}

/** Results come before what else the user says. */
function readUser(blocks: readonly unknown[]): readonly GivenMessage[] {
  const results = blocks.filter((block) => objectIn(block).type === 'tool_result').map(readResult);
  const parts = blocks.filter((block) => objectIn(block).type !== 'tool_result').flatMap(readBlock);
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, results }]),
    ...(parts.length === 0 ? [] : [{ role: 'user' as const, parts }]),
  ];
}

/** Results of tools that run at the vendor come in the answer itself: they end a message of it. */
function readAnswer(blocks: readonly unknown[], newId: () => string): readonly GivenMessage[] {
  const messages: GivenMessage[] = [];
  let [parts, calls]: [GivenPart[], ModelToolCall[]] = [[], []];
  const close = () => {
    if (parts.length + calls.length > 0) messages.push({ role: 'assistant', parts, calls });
    [parts, calls] = [[], []];
  };
  for (const block of blocks) {
    const { type, id, name, input, tool_use_id } = objectIn(block);
    if (typeof type === 'string' && type.endsWith('tool_use') && typeof name === 'string') {
      calls.push({ callId: typeof id === 'string' ? id : newId(), name, args: input });
    } else if (typeof tool_use_id === 'string') {
      close();
      messages.push({ role: 'tool', results: [readResult(block)] });
    } else parts.push(...readBlock(block));
  }
  close();
  return messages;
}

function readResult(block: unknown): GivenResult {
  const { tool_use_id, content, is_error } = objectIn(block);
  if (typeof tool_use_id !== 'string') throw notOfForm(NAME, 'a result names no call.');
  const isPlain = content === undefined || typeof content === 'string' || Array.isArray(content);
  return {
    callId: tool_use_id,
    status: is_error === true ? 'error' : 'ok',
    ...contentOf(partsOf(content, readBlock)),
    ...(!isPlain && { content: JSON.stringify(content) }),
  };
}

function readBlock(block: unknown): readonly GivenPart[] {
  const { type, text, thinking, signature, data, source, title } = objectIn(block);
  switch (type) {
    case 'text':
      return textPart(text);
    case 'thinking': {
      const thought = String(thinking ?? '');
      const metadata = { anthropic: { signature: String(signature ?? '') } };
      const opaque = { kind: 'reasoning' as const, metadata, digest: digestOf(thought) };
      const isSigned = typeof signature === 'string' && signature !== '';
      return [{ type: 'reasoning', ...(thought === '' ? {} : { text: thought }), ...(isSigned ? { opaque } : {}) }];
    }
    case 'redacted_thinking': {
      const metadata = { anthropic: { redactedData: String(data) } };
      return [{ type: 'reasoning', opaque: { kind: 'reasoning', metadata, digest: digestOf('') } }];
    }
    case 'image':
    case 'document':
      return readSource(objectIn(source), type, title);
    case undefined:
      throw notOfForm(NAME, 'a block of it has no type.');
    default:
      return [unknownPart(String(type), block)];
  }
}

function readSource(
  { type, media_type, data, url, file_id, content }: Readonly<Record<string, unknown>>,
  kind: 'image' | 'document',
  title: unknown,
): readonly GivenPart[] {
  const usualType = kind === 'image' ? undefined : 'application/pdf';
  switch (type) {
    case 'base64':
      return [fileOf(data, { mediaType: media_type, name: title, usualType })];
    case 'text': {
      const bytes = new TextEncoder().encode(String(data));
      return [fileOf(bytes, { mediaType: 'text/plain', name: title ?? 'document.txt' })];
    }
    case 'content':
      return partsOf(content, readBlock);
    default:
      return [elsewhere(media_type ?? usualType, String(url ?? `file:${file_id}`))];
  }
}
