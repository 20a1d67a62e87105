// Messages of OpenAI's chat completions, which most servers speak.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject } from '../../platform/json.ts';
import { objectIn } from '../http/read-answer.ts';
import { jsonOrText } from '../json-or-text.ts';
import type { ModelToolCall } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { base64Of, type Form, outputOf, type Prompted } from './form.ts';
import {
  contentOf,
  ended,
  fileOf,
  type GivenFinish,
  type GivenMessage,
  type GivenPart,
  givenUsage,
  notOfForm,
  partsOf,
  textPart,
  unknownPart,
} from './given.ts';
import type { OpenAiChatCall, OpenAiChatMessage, OpenAiChatMessages, OpenAiChatPart } from './message-forms.ts';

const NAME = 'openai-chat';
const FINISHES: Readonly<Record<string, GivenFinish>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

export const openAiChatForm: Form<OpenAiChatMessages> = {
  provider: 'openai',
  rules: { shows: SHOWS.openai, systemBetween: true },
  write: (prompt) => ({ messages: prompt.flatMap(written) }),
  read: (given, newId) => {
    if (Array.isArray(given)) return given.flatMap((each) => readMessage(each, newId));
    const { choices } = objectIn(given);
    return Array.isArray(choices) ? readAnswer(objectIn(given), choices[0], newId) : readMessage(given, newId);
  },
};

function written(message: LanguageModelV4Prompt[number]): OpenAiChatMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user': {
      const [first, ...more] = message.content;
      if (first?.type === 'text' && more.length === 0) return [{ role: 'user', content: first.text }];
      return [{ role: 'user', content: message.content.map(userPart) }];
    }
    case 'assistant':
      return [answer(message)];
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ role: 'tool' as const, tool_call_id: part.toolCallId, content: outputOf(part).text }]
          : [],
      );
  }
}

function userPart(part: Prompted<'user'>['content'][number]): OpenAiChatPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const url = `data:${part.mediaType};base64,${base64Of(part)}`;
  if (part.mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { filename: part.filename ?? 'file', file_data: url } };
}

function answer({ content }: Prompted<'assistant'>): OpenAiChatMessage {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = content.flatMap((part): OpenAiChatCall[] => {
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input } = part;
    return [{ type: 'function', id: toolCallId, function: { name: toolName, arguments: JSON.stringify(input) } }];
  });
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readAnswer(
  { model, usage }: Readonly<Record<string, unknown>>,
  choice: unknown,
  newId: () => string,
): readonly GivenMessage[] {
  const { message, finish_reason } = objectIn(choice);
  const { prompt_tokens, completion_tokens } = objectIn(usage);
  return ended(readMessage(message, newId), {
    finish: () => FINISHES[String(finish_reason)] ?? 'other',
    model,
    usage: givenUsage({
      inputTokens: prompt_tokens,
      outputTokens: completion_tokens,
      cachedTokens: objectIn(usage, 'prompt_tokens_details').cached_tokens,
      reasoningTokens: objectIn(usage, 'completion_tokens_details').reasoning_tokens,
    }),
  });
}

function readMessage(given: unknown, newId: () => string): readonly GivenMessage[] {
  if (!isObject(given)) throw notOfForm(NAME, 'it is not an object.');
  const { role, content, refusal, tool_calls, tool_call_id, reasoning_content } = given;
  const parts = partsOf(content, readPart);
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', parts }];
    case 'user':
      return [{ role, parts }];
    case 'assistant': {
      const thought = textPart(reasoning_content).map(({ text }) => ({ type: 'reasoning' as const, text }));
      const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((call) => readCall(call, newId));
      return [{ role, parts: [...thought, ...parts, ...textPart(refusal)], calls }];
    }
    case 'tool': {
      if (typeof tool_call_id !== 'string') throw notOfForm(NAME, 'a result names no call.');
      return [{ role, results: [{ callId: tool_call_id, status: 'ok', ...contentOf(parts) }] }];
    }
    default:
      throw notOfForm(NAME, `it has the role ${JSON.stringify(role)}.`);
  }
}

function readCall(call: unknown, newId: () => string): ModelToolCall {
  const { id, function: called, custom } = objectIn(call);
  const { name, arguments: json, input } = objectIn(called ?? custom);
  if (typeof name !== 'string') throw notOfForm(NAME, 'a call names no tool.');
  const args = called === undefined ? { input } : jsonOrText(String(json ?? '') || '{}');
  return { callId: typeof id === 'string' && id !== '' ? id : newId(), name, args };
}

function readPart(part: unknown): readonly GivenPart[] {
  const { type, text, refusal, image_url, file, input_audio } = objectIn(part);
  switch (type) {
    case 'text':
      return textPart(text);
    case 'refusal':
      return textPart(refusal);
    case 'image_url':
      return [fileOf(objectIn(image_url).url, { mediaType: 'image/png' })];
    case 'file': {
      const { file_data, file_id, filename } = objectIn(file);
      return [fileOf(file_data ?? `file:${file_id}`, { mediaType: 'application/pdf', name: filename })];
    }
    case 'input_audio': {
      const { data, format } = objectIn(input_audio);
      return [fileOf(data, { mediaType: `audio/${format}` })];
    }
    default:
      return [unknownPart(String(type), part)];
  }
}
