// Messages of LangChain as events, and back: in the form in which its histories store them, `{ type, data }`.
import type { NewOllmEvent } from '../../events/index.ts';
import type { Members } from '../../platform/json.ts';
import {
  fileOf,
  type GivenMessage,
  type GivenPart,
  type GivenResult,
  givenUsage,
  textPart,
} from '../../providers/forms/given.ts';
import type { ItemForm } from '../kept/kept-list.ts';
import type { PutBlob } from '../kept/native.ts';
import { type AskedModel, eventsSaying } from './given-events.ts';
import { listOf, membersOf, textOr } from './parts.ts';
import { type SaidStep, stepItems } from './said-steps.ts';

/** A message as `toDict` gives it. */
export interface StoredMessage extends Members {
  readonly type: string;
  readonly data: Members;
}

export function langchainItems(asked: AskedModel): ItemForm<StoredMessage> {
  return {
    name: 'langchain',
    events: (item, put) => messageEvents(item, asked, put),
    items: (said, toolNames) => stepItems(said, toolNames, storedMessage, { resultsApart: true }),
  };
}

/** An empty list for a message of a kind that no model is sent. */
export function messageEvents(item: StoredMessage, asked: AskedModel, put: PutBlob): Promise<NewOllmEvent[]> {
  return eventsSaying(readMessage(item), { ...asked, put });
}

export function storedMessage(step: SaidStep): StoredMessage | undefined {
  switch (step.role) {
    case 'user':
      return { type: 'human', data: { content: step.text } };
    case 'system':
      return { type: 'system', data: { content: step.text } };
    case 'assistant': {
      const tool_calls = step.calls.map(({ callId: id, name, args }) => ({ type: 'tool_call', id, name, args }));
      if (step.text === '' && tool_calls.length === 0) return undefined;
      return { type: 'ai', data: { content: step.text, tool_calls } };
    }
    case 'tool': {
      const [result] = step.results;
      if (result === undefined) return undefined;
      const { callId: tool_call_id, name, status, text: content } = result;
      return { type: 'tool', data: { content, tool_call_id, name, status: status === 'ok' ? 'success' : 'error' } };
    }
  }
}

function readMessage({ type, data }: StoredMessage): readonly GivenMessage[] {
  const { content, role } = data;
  const parts = partsIn(content);
  switch (type) {
    case 'human':
      return [{ role: 'user', parts }];
    case 'system':
    case 'developer':
      return [{ role: 'system', parts }];
    case 'generic':
      return [role === 'assistant' ? { role, parts, calls: [] } : { role: role === 'system' ? role : 'user', parts }];
    case 'ai': {
      const calls = listOf(data.tool_calls).map(({ id, name, args }) => ({
        ...{ callId: textOr(id, textOr(name, '')), name: textOr(name, ''), args },
      }));
      const { model_name, model } = membersOf(data.response_metadata);
      const answered = [model_name, model].find((value) => typeof value === 'string');
      return [
        {
          ...{ role: 'assistant', parts, calls, usage: usageOf(membersOf(data.usage_metadata)) },
          ...(typeof answered === 'string' ? { model: answered } : {}),
        },
      ];
    }
    case 'tool':
    case 'function':
      return [{ role: 'tool', results: [resultOf(data, parts)] }];
    default:
      return [];
  }
}

function resultOf({ tool_call_id, name, status }: Members, parts: readonly GivenPart[]): GivenResult {
  return {
    callId: textOr(tool_call_id, textOr(name, '')),
    status: status === 'error' ? 'error' : 'ok',
    content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    files: parts.filter((part) => part.type === 'file'),
  };
}

function partsIn(content: unknown): readonly GivenPart[] {
  return typeof content === 'string' ? textPart(content) : listOf(content).flatMap(partOf);
}

/** Blocks as LangChain has them now, and as it had them. Calls are members of the message, too. */
function partOf(block: Members): readonly GivenPart[] {
  const { type, text, reasoning, thinking, image_url, url, data, metadata } = block;
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return textPart(text);
    case 'reasoning':
    case 'thinking': {
      const thought = textOr(reasoning, textOr(thinking, ''));
      return thought === '' ? [] : [{ type: 'reasoning', text: thought }];
    }
    case 'image_url':
      return [fileOf(textOr(image_url, textOr(membersOf(image_url).url, '')), { mediaType: 'image/png' })];
    case 'image':
    case 'audio':
    case 'video':
    case 'file': {
      const mediaType = [block.mimeType, block.mime_type, type === 'image' ? 'image/png' : undefined].find(
        (value) => typeof value === 'string',
      ) as string | undefined;
      const name = [membersOf(metadata).filename, membersOf(metadata).name, block.fileId].find(
        (value) => typeof value === 'string',
      ) as string | undefined;
      const content = data ?? url;
      return content === undefined ? [] : [fileOf(content, { mediaType, name })];
    }
    default:
      return [];
  }
}

function usageOf({ input_tokens, output_tokens, input_token_details, output_token_details }: Members) {
  const [input, output] = [membersOf(input_token_details), membersOf(output_token_details)];
  return givenUsage({
    ...{ inputTokens: input_tokens, outputTokens: output_tokens },
    ...{ cachedTokens: input.cache_read, cacheWriteTokens: input.cache_creation, reasoningTokens: output.reasoning },
  });
}
