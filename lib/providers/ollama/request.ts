// Our request in Ollama's words. Pure.
import type { ChatRequest, Message, Tool } from 'ollama';
import type { Part } from '../../messages/index.ts';
import { defined, isObject } from '../../platform/json.ts';
import { fileText, missingImage, unseenImage } from '../attachments.ts';
import type { LoadedRequest } from '../load-blobs.ts';
import type { ModelMessage } from '../provider.ts';
import type { ThinkingMode } from '../thinking.ts';
import { wellFormed } from '../well-formed.ts';

/** What a model can do; it is asked for nothing else. */
export interface Abilities {
  readonly tools: boolean;
  readonly images: boolean;
  /** `degrees`: it always thinks, more or less. `switch`: it thinks, or does not. */
  readonly thinking: 'none' | 'switch' | 'degrees';
}

export const ALL_ABILITIES: Abilities = { tools: true, images: true, thinking: 'none' };

export function toChatRequest(request: LoadedRequest, abilities = ALL_ABILITIES): ChatRequest & { stream: true } {
  const { model, system, messages, tools, contextWindow, maxOutputTokens, thinking, sampling = {} } = request;
  const { temperature, topP, seed, stop, keepAlive } = sampling;
  return {
    model,
    stream: true,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...withoutNeighbours(wellFormed(messages).flatMap((message) => toMessages(message, request.readBlob, abilities))),
    ],
    ...(thinking !== undefined && { think: thinkOf(thinking, abilities) }),
    ...(tools.length > 0 && abilities.tools && { tools: tools.map(toTool) }),
    // A bare number is one of seconds; as a text, Ollama takes none without a unit.
    ...(keepAlive !== undefined && { keep_alive: /\d$/.test(keepAlive) ? Number(keepAlive) : keepAlive }),
    options: {
      ...defined({ num_ctx: contextWindow, num_predict: maxOutputTokens, temperature, top_p: topP, seed }),
      ...(stop !== undefined && { stop: [...stop] }),
    },
  };
}

/** No two users in a row: the templates of many models refuse that. */
function withoutNeighbours(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== 'user' || last?.role !== 'user') {
      joined.push(message);
      continue;
    }
    const images = [...(last.images ?? []), ...(message.images ?? [])] as string[];
    const content = [last.content, message.content].filter((text) => text !== '').join('\n\n');
    joined[joined.length - 1] = { role: 'user', content, ...(images.length > 0 && { images }) };
  }
  return joined;
}

/** A degree is lost on a model that only thinks or does not. */
function thinkOf(mode: ThinkingMode, { thinking }: Abilities): ChatRequest['think'] {
  if (mode === 'off' || thinking !== 'degrees') return mode !== 'off';
  return mode === 'max' ? 'high' : mode;
}

function toTool({ name, description, parameters }: LoadedRequest['tools'][number]): Tool {
  return {
    type: 'function',
    function: { name, description, parameters: parameters as Tool['function']['parameters'] },
  };
}

function toMessages(message: ModelMessage, readBlob: LoadedRequest['readBlob'], abilities: Abilities): Message[] {
  switch (message.role) {
    case 'user':
      return [toMessage('user', message.parts, readBlob, abilities)];
    // A system message here would be moved to the beginning by the templates of many models.
    case 'context':
      return [{ role: 'user', content: message.text }];
    case 'assistant':
      return [
        {
          ...toMessage('assistant', message.parts, readBlob, abilities),
          ...(message.toolCalls.length > 0 && { tool_calls: message.toolCalls.map(toToolCall) }),
        },
      ];
    case 'tool':
      return message.results.map(({ name, content, isError, images = [] }) => {
        const text = { type: 'text', text: isError ? `Error: ${content}` : content } as const;
        return { ...toMessage('tool', [text, ...images], readBlob, abilities), tool_name: name };
      });
  }
}

/** Arguments that were not an object when the model gave them are shown to it as they were. */
function toToolCall({ name, args }: { readonly name: string; readonly args: unknown }) {
  return { function: { name, arguments: isObject(args) ? { ...args } : { value: args } } };
}

function toMessage(
  role: string,
  parts: readonly Part[],
  readBlob: LoadedRequest['readBlob'],
  abilities: Abilities,
): Message {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const images: string[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        texts.push(part.text);
        break;
      case 'reasoning':
        if (part.text && (part.provider ?? 'ollama') === 'ollama') thoughts.push(part.text);
        break;
      case 'image': {
        const content = readBlob(part.blob);
        if (!abilities.images) texts.push(unseenImage(part));
        else if (content) images.push(Buffer.from(content).toString('base64'));
        else texts.push(missingImage(part));
        break;
      }
      case 'file':
        texts.push(fileText(part, readBlob(part.blob)));
        break;
    }
  }
  return {
    role,
    content: texts.join('\n\n'),
    ...(thoughts.length > 0 && { thinking: thoughts.join('\n\n') }),
    ...(images.length > 0 && { images }),
  };
}
