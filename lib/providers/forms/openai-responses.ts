// Items of OpenAI's Responses API, for requests that the vendor keeps nothing of: reasoning goes back encrypted.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject } from '../../platform/json.ts';
import { digestOf } from '../ai-sdk/opaque.ts';
import { objectIn } from '../http/read-answer.ts';
import { jsonOrText } from '../json-or-text.ts';
import type { ModelToolCall } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { base64Of, type Form, outputOf, type Prompted, withoutSystem } from './form.ts';
import {
  contentOf,
  ended,
  fileOf,
  type GivenAnswer,
  type GivenMessage,
  type GivenPart,
  type GivenResult,
  givenUsage,
  notOfForm,
  partsOf,
  textPart,
  unknownPart,
} from './given.ts';
import type { OpenAiInputPart, OpenAiReasoningItem, OpenAiResponseItem, OpenAiResponseItems } from './message-forms.ts';

const NAME = 'openai-responses';

export const openAiResponsesForm: Form<OpenAiResponseItems> = {
  provider: 'openai',
  rules: { shows: SHOWS.openai, imagesInResults: true, systemBetween: true },
  write: (prompt) => {
    const { system, messages } = withoutSystem(prompt);
    return { instructions: system, input: messages.flatMap(written) };
  },
  read: (given, newId) => {
    if (Array.isArray(given)) return readItems(given, newId);
    const { output } = objectIn(given);
    const { type } = objectIn(given);
    const isAnswer = Array.isArray(output) && type !== 'function_call_output';
    return isAnswer ? readAnswer(objectIn(given), output, newId) : readItems([given], newId);
  },
};

function written(message: LanguageModelV4Prompt[number]): OpenAiResponseItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: message.content.map(inputPart) }];
    case 'assistant':
      return answer(message);
    case 'tool':
      return message.content.flatMap((part) => {
        if (part.type !== 'tool-result') return [];
        const { text, isError, files } = outputOf(part);
        const images = files.map(({ mediaType, base64 }): OpenAiInputPart => image(mediaType, base64));
        const said = isError ? JSON.stringify({ error: text }) : text;
        const output = images.length === 0 ? said : [{ type: 'input_text' as const, text }, ...images];
        return [{ type: 'function_call_output' as const, call_id: part.toolCallId, output }];
      });
  }
}

function inputPart(part: Prompted<'user'>['content'][number]): OpenAiInputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const data = base64Of(part);
  if (part.mediaType.startsWith('image/')) return image(part.mediaType, data);
  const file_data = `data:${part.mediaType};base64,${data}`;
  return { type: 'input_file', filename: part.filename ?? 'file', file_data };
}

function image(mediaType: string, base64: string): OpenAiInputPart {
  return { type: 'input_image', image_url: `data:${mediaType};base64,${base64}`, detail: 'auto' };
}

/** Pieces of one item of reasoning have its id. */
function answer({ content }: Prompted<'assistant'>): OpenAiResponseItem[] {
  const items: OpenAiResponseItem[] = [];
  for (const part of content) {
    if (part.type === 'text') items.push({ role: 'assistant', content: part.text });
    if (part.type === 'tool-call') {
      const { toolCallId, toolName, input } = part;
      items.push({ type: 'function_call', call_id: toolCallId, name: toolName, arguments: JSON.stringify(input) });
    }
    if (part.type === 'custom' && part.kind === 'openai.compaction') items.push(...compaction(part.providerOptions));
    if (part.type === 'reasoning') addReasoning(items, part);
  }
  return items;
}

function addReasoning(
  items: OpenAiResponseItem[],
  { text, providerOptions }: Extract<Prompted<'assistant'>['content'][number], { type: 'reasoning' }>,
): void {
  const { itemId, reasoningEncryptedContent } = objectIn(providerOptions, 'openai');
  if (typeof itemId !== 'string') return;
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  const known = items.find((item): item is OpenAiReasoningItem => 'id' in item && item.id === itemId);
  if (known !== undefined) known.summary.push(...summary);
  // Without its content it means nothing to a vendor that kept nothing.
  const encrypted = typeof reasoningEncryptedContent === 'string' ? reasoningEncryptedContent : undefined;
  if (known !== undefined && encrypted !== undefined) known.encrypted_content = encrypted;
  if (known === undefined && encrypted !== undefined)
    items.push({ type: 'reasoning', id: itemId, encrypted_content: encrypted, summary });
}

function compaction(options: unknown): OpenAiResponseItem[] {
  const { itemId, encryptedContent } = objectIn(options, 'openai');
  if (typeof encryptedContent !== 'string') return [];
  return [
    { type: 'compaction', encrypted_content: encryptedContent, ...(typeof itemId === 'string' ? { id: itemId } : {}) },
  ];
}

function readAnswer(
  { model, status, incomplete_details, usage }: Readonly<Record<string, unknown>>,
  output: readonly unknown[],
  newId: () => string,
): readonly GivenMessage[] {
  const { input_tokens, output_tokens } = objectIn(usage);
  return ended(readItems(output, newId), {
    finish: (answer) => finishOf(answer, { status, incomplete_details }),
    model,
    usage: givenUsage({
      inputTokens: input_tokens,
      outputTokens: output_tokens,
      cachedTokens: objectIn(usage, 'input_tokens_details').cached_tokens,
      reasoningTokens: objectIn(usage, 'output_tokens_details').reasoning_tokens,
    }),
  });
}

function finishOf({ calls }: GivenAnswer, { status, incomplete_details }: Readonly<Record<string, unknown>>) {
  const { reason } = objectIn(incomplete_details);
  if (reason === 'max_output_tokens') return 'length';
  if (reason === 'content_filter') return 'content-filter';
  if (calls.length > 0) return 'tool-calls';
  return status === 'completed' ? 'stop' : 'other';
}

/** What one answer is made of comes as items side by side. */
function readItems(items: readonly unknown[], newId: () => string): readonly GivenMessage[] {
  const messages: GivenMessage[] = [];
  const say = (parts: readonly GivenPart[], calls: readonly ModelToolCall[] = []) => {
    const last = messages.at(-1);
    // After its calls, a message of the model is another answer.
    const isSame = last?.role === 'assistant' && (last.calls.length === 0 || calls.length > 0);
    if (!isSame) messages.push({ role: 'assistant', parts, calls });
    else
      messages[messages.length - 1] = { ...last, parts: [...last.parts, ...parts], calls: [...last.calls, ...calls] };
  };
  const answerCall = (result: GivenResult) => {
    const last = messages.at(-1);
    if (last?.role !== 'tool') messages.push({ role: 'tool', results: [result] });
    else messages[messages.length - 1] = { role: 'tool', results: [...last.results, result] };
  };
  for (const item of items) {
    if (!isObject(item)) throw notOfForm(NAME, 'an item of it is not an object.');
    const { type = 'message', role, content, call_id, name, output } = item;
    if (type === 'message') {
      if (role === 'assistant') say(partsOf(content, readPart));
      else if (role === 'user') messages.push({ role, parts: partsOf(content, readPart) });
      else if (role === 'system' || role === 'developer')
        messages.push({ role: 'system', parts: partsOf(content, readPart) });
      else throw notOfForm(NAME, `an item has the role ${JSON.stringify(role)}.`);
    } else if (type === 'reasoning') say(reasoning(item));
    else if (type === 'function_call' || type === 'custom_tool_call') {
      if (typeof name !== 'string') throw notOfForm(NAME, 'a call names no tool.');
      const args = type === 'function_call' ? jsonOrText(String(item.arguments ?? '') || '{}') : { input: item.input };
      say([], [{ callId: typeof call_id === 'string' ? call_id : newId(), name, args }]);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (typeof call_id !== 'string') throw notOfForm(NAME, 'a result names no call.');
      answerCall({ callId: call_id, status: 'ok', ...contentOf(partsOf(output, readPart)) });
    } else ranAtVendor(String(type), item);
  }
  return messages;

  /** A tool that the vendor ran: the call and its result are one item. */
  function ranAtVendor(type: string, { id, ...item }: Readonly<Record<string, unknown>>): void {
    const callId = typeof id === 'string' ? id : newId();
    const { type: _, status, ...about } = item;
    say([], [{ callId, name: type.replace(/_call$/, ''), args: about }]);
    answerCall({ callId, status: status === 'failed' ? 'error' : 'ok', content: '', files: [] });
  }
}

function reasoning({ id, summary, content, encrypted_content }: Readonly<Record<string, unknown>>): GivenPart[] {
  const shown = [summary, content].flatMap((list) => (Array.isArray(list) ? list : []));
  const texts = shown.flatMap((part) => textPart(objectIn(part).text).map(({ text }) => text));
  const metadata = {
    openai: {
      ...(typeof id === 'string' ? { itemId: id } : {}),
      ...(typeof encrypted_content === 'string' ? { reasoningEncryptedContent: encrypted_content } : {}),
    },
  };
  return (texts.length === 0 ? [''] : texts).map((text) => ({
    type: 'reasoning',
    ...(text === '' ? {} : { text }),
    opaque: { kind: 'reasoning', metadata, digest: digestOf(text) },
  }));
}

function readPart(part: unknown): readonly GivenPart[] {
  const { type, text, refusal, image_url, file_id, file_url, file_data, filename } = objectIn(part);
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(text);
    case 'refusal':
      return textPart(refusal);
    case 'input_image':
      return [fileOf(image_url ?? `file:${file_id}`, { mediaType: 'image/png' })];
    case 'input_file':
      return [fileOf(file_data ?? file_url ?? `file:${file_id}`, { mediaType: 'application/pdf', name: filename })];
    default:
      return [unknownPart(String(type), part)];
  }
}
