// Items of the OpenAI Agents SDK as events, and back. An item is one message, one piece of reasoning, one call or one
// result. Members that this version does not know cost nothing: the item itself is kept with the events.
import { hash } from 'node:crypto';
import type { NewOllmEvent } from '../../events/index.ts';
import type { Part, Role } from '../../messages/index.ts';
import { canonicalJson, type Members } from '../../platform/json.ts';
import type { ItemForm, SaidEvent } from '../kept/kept-list.ts';
import type { PutBlob } from '../kept/native.ts';
import {
  argumentsOf,
  argumentsText,
  bytesPart,
  imagePart,
  inlineBytes,
  listOf,
  membersOf,
  partsInWords,
  textOr,
  textPart,
} from './parts.ts';

/** Calls with results of their own, by the type of the item: name of the tool, and the member with its arguments. */
const CALLS: Readonly<Record<string, { readonly name: string; readonly args: readonly string[] }>> = {
  computer_call: { name: 'computer', args: ['actions', 'action'] },
  shell_call: { name: 'shell', args: ['action'] },
  apply_patch_call: { name: 'apply_patch', args: ['operation'] },
  program: { name: 'program', args: ['code'] },
  tool_search_call: { name: 'tool_search', args: ['arguments'] },
};
const RESULTS: ReadonlySet<unknown> = new Set([
  'function_call_result',
  'computer_call_result',
  'shell_call_output',
  'apply_patch_call_output',
  'program_output',
  'tool_search_output',
]);

export const openaiAgentsItems: ItemForm<Members> = {
  name: 'openai-agents',
  async events(item, put) {
    const { type = 'message' } = item;
    if (type === 'message') return [await messageEvent(item, put)];
    if (type === 'reasoning') return [reasoningEvent(item)];
    if (type === 'hosted_tool_call') return hostedCall(item);
    if (RESULTS.has(type)) return [await resultEvent(item, put)];
    return callEvents(item);
  },
  items: (said, toolNames) => said.map((event) => ({ item: itemOf(event, toolNames), events: 1 })),
};

function itemOf(said: SaidEvent, toolNames: ReadonlyMap<string, string>): Members | undefined {
  if (said.type === 'tool.requested') {
    const { callId, name, args } = said.data;
    return { type: 'function_call', callId, name, status: 'completed', arguments: argumentsText(args) };
  }
  if (said.type === 'tool.finished') {
    const { data } = said;
    const name = toolNames.get(data.callId);
    if (name === undefined) return undefined;
    const status = data.status === 'ok' ? 'completed' : 'incomplete';
    const output = { type: 'text', text: data.result.llmContent };
    return { type: 'function_call_result', name, callId: data.callId, status, output };
  }
  const { role, parts } = said.data;
  const text = partsInWords(parts);
  if (role !== 'assistant') return { type: 'message', role, content: text };
  if (text === '') return undefined;
  return { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] };
}

async function messageEvent(item: Members, put: PutBlob): Promise<NewOllmEvent> {
  const role = item.role as Role;
  const content =
    typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : listOf(item.content);
  const parts: Part[] = [];
  for (const part of content) parts.push(await partOf(part, put));
  const { model } = membersOf(item.providerData);
  return {
    type: 'message.added',
    data: {
      role,
      parts,
      trusted: role !== 'assistant',
      ...(typeof model === 'string' ? { model } : {}),
      ...(typeof item.id === 'string' && item.id !== '' ? { message: item.id } : {}),
    },
  };
}

async function partOf(part: Members, put: PutBlob): Promise<Part> {
  switch (part.type) {
    case 'input_image':
    case 'image': {
      const found = inlineBytes(part.image, part.type === 'image' ? 'image/png' : undefined);
      return found ? imagePart(found, put) : textPart(`[a picture: ${addressOf(part.image)}]`);
    }
    case 'input_file':
    case 'file': {
      const name = textOr(part.filename, 'file');
      const found = inlineBytes(part.file, 'application/octet-stream');
      return found ? bytesPart(found, name, put) : textPart(`[the file ${name}: ${addressOf(part.file)}]`);
    }
    case 'audio': {
      if (typeof part.transcript === 'string') return textPart(part.transcript);
      const found = inlineBytes(part.audio, `audio/${textOr(part.format, 'wav')}`);
      return found ? bytesPart(found, 'audio', put) : textPart(`[audio: ${addressOf(part.audio)}]`);
    }
    default:
      return textPart(textOr(part.text, textOr(part.refusal, '')));
  }
}

function addressOf(value: unknown): string {
  const { url, id, fileId } = membersOf(value);
  return [value, url, id, fileId].find((address) => typeof address === 'string') ?? 'elsewhere';
}

function reasoningEvent({ id, content, rawContent }: Members): NewOllmEvent {
  const texts = [...listOf(content), ...(listOf(content).length > 0 ? [] : listOf(rawContent))];
  const text = texts.map((part) => textOr(part.text, '')).join('\n\n');
  const part: Part = text === '' ? { type: 'reasoning' } : { type: 'reasoning', text };
  const message = typeof id === 'string' && id !== '' ? { message: id } : {};
  return { type: 'message.added', data: { role: 'assistant', parts: [part], trusted: false, ...message } };
}

function callEvents(item: Members): NewOllmEvent[] {
  const type = String(item.type);
  if (type === 'function_call') {
    const data = { callId: callIdOf(item), name: textOr(item.name, ''), args: argumentsOf(item.arguments) };
    return [{ type: 'tool.requested', data }];
  }
  const call = CALLS[type];
  if (call === undefined) return [];
  const args = call.args.map((member) => item[member]).find((value) => value !== undefined);
  return [{ type: 'tool.requested', data: { callId: callIdOf(item), name: call.name, args: argumentsOf(args) } }];
}

/** Call and result are one item. */
function hostedCall(item: Members): NewOllmEvent[] {
  const callId = callIdOf(item);
  const args = argumentsOf(item.arguments);
  const call: NewOllmEvent = { type: 'tool.requested', data: { callId, name: textOr(item.name, ''), args } };
  if (item.status === 'in_progress') return [call];
  const result = { llmContent: textOr(item.output, '') };
  return [call, { type: 'tool.finished', data: { callId, status: statusOf(item), result, trusted: false } }];
}

/** An item without an id gets one that follows from its content. */
function callIdOf(item: Members): string {
  const id = [item.callId, item.call_id, item.id].find((value) => typeof value === 'string' && value !== '');
  return typeof id === 'string' ? id : `call-${hash('sha256', canonicalJson(item)).slice(0, 16)}`;
}

async function resultEvent(item: Members, put: PutBlob): Promise<NewOllmEvent> {
  const parts: Part[] = [];
  const { output } = item;
  if (item.type === 'tool_search_output') parts.push(textPart(JSON.stringify(item.tools ?? [])));
  else if (item.type === 'shell_call_output') parts.push(...listOf(output).map(shellOutput));
  else if (typeof output === 'string') parts.push(textPart(output));
  else
    for (const part of Array.isArray(output) ? listOf(output) : [membersOf(output)])
      parts.push(await outputPart(part, put));
  const images = parts.filter((part) => part.type === 'image');
  const llmContent = partsInWords(parts.filter((part) => part.type !== 'image'));
  const result = { llmContent, ...(images.length > 0 ? { images } : {}) };
  return { type: 'tool.finished', data: { callId: callIdOf(item), status: statusOf(item), result, trusted: false } };
}

/** Pictures of results name their bytes in more ways than those of messages. */
function outputPart(part: Members, put: PutBlob): Promise<Part> {
  if (part.type === 'computer_screenshot') return partOf({ type: 'image', image: part.data }, put);
  const { data, mediaType, filename } = membersOf(part.type === 'file' ? part.file : part.image);
  const found = data === undefined ? undefined : inlineBytes(data, mediaType ?? 'image/png');
  return found ? bytesPart(found, textOr(filename, 'file'), put) : partOf(part, put);
}

function shellOutput({ stdout, stderr }: Members): Part {
  return textPart([stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n'));
}

function statusOf(item: Members): 'ok' | 'error' | 'timeout' {
  const outcomes =
    item.type === 'shell_call_output' ? listOf(item.output).map(({ outcome }) => membersOf(outcome)) : [];
  if (outcomes.some(({ type }) => type === 'timeout')) return 'timeout';
  const hasFailed = outcomes.some(({ exitCode }) => exitCode !== 0);
  return hasFailed || item.status === 'failed' || item.status === 'incomplete' ? 'error' : 'ok';
}
