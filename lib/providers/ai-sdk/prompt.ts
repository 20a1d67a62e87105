// Translates a request into the AI SDK's language-model specification, which each vendor's package then translates
// further. Pure. The differences between vendors are parameters: which content they accept, and where they want a cache
// point.
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ImagePart, Part } from '../../messages/index.ts';
import { defined, isObject } from '../../platform/json.ts';
import { fileText, missingImage, unseenImage } from '../attachments.ts';
import { callsInWords } from '../calls-in-words.ts';
import type { LoadedRequest } from '../load-blobs.ts';
import type { ModelMessage, ModelToolCall, ModelToolResult, QuotedFile } from '../provider.ts';
import { wellFormed } from '../well-formed.ts';
import { decodeOpaque, digestOf } from './opaque.ts';
import { withTexts } from './reasoning-details.ts';
import { createCallIds, wireName } from './wire-names.ts';

export interface PromptRules {
  /** Whether content of this media type may go in as it is. Text always may. */
  readonly shows: (mediaType: string) => boolean;
  /**
   * Whether unsigned reasoning goes back: all of it while the model still works on the same question, and later that
   * of messages with calls, which some vendors refuse without it (https://api-docs.deepseek.com/guides/thinking_mode).
   */
  readonly plainReasoning?: boolean | undefined;
  /** Whether a model is held to the schema of a tool word for word; left to the vendor unless said. */
  readonly strictTools?: boolean | undefined;
  /** Whether calls may only be sent where tools are offered. Where none are, the calls are told in words. */
  readonly callsNeedTools?: boolean | undefined;
  /** Whether images may go into the results of tools. Where they may not, words take their place. */
  readonly imagesInResults?: boolean | undefined;
  /** Whether a system message may come between others. If not, its text has the role of the user. */
  readonly systemBetween?: boolean | undefined;
  /** The mark of a place up to which the vendor may cache. */
  readonly cachePoint?: SharedV4ProviderOptions | undefined;
}

type CallOptions = Pick<
  LanguageModelV4CallOptions,
  'prompt' | 'tools' | 'toolChoice' | 'maxOutputTokens' | 'temperature' | 'topP' | 'seed' | 'stopSequences'
>;
type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;

/** Messages that end with a cache point. Vendors take four points in all: the system prompt has the other two. */
const CACHED_MESSAGES = 2;

export function toCallOptions(request: LoadedRequest, rules: PromptRules): CallOptions {
  const { system, tools, maxOutputTokens, sampling: { temperature, topP, seed, stop } = {} } = request;
  const { cachePoint } = rules;
  const prompt = toMessages(request, rules);
  // Tools come before the system prompt in the cached input: a point after the system prompt covers both.
  const definitions = tools.map((tool) => toTool(tool, rules.strictTools));
  const lastTool = definitions.at(-1);
  if (system === '' && lastTool && cachePoint) lastTool.providerOptions = cachePoint;
  return {
    prompt: [
      ...systemTexts(request, cachePoint).map((content) => ({
        role: 'system' as const,
        content,
        ...(cachePoint && { providerOptions: cachePoint }),
      })),
      ...prompt,
    ],
    ...(definitions.length > 0 && { tools: definitions, toolChoice: { type: 'auto' } }),
    ...defined({ maxOutputTokens, temperature, topP, seed }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
  };
}

/**
 * Two where there are cache points: one after the instructions, which stay, and one after the context and the summary,
 * which are others after a compaction.
 */
function systemTexts({ system, stable }: LoadedRequest, cachePoint: SharedV4ProviderOptions | undefined): string[] {
  const texts =
    cachePoint && stable ? [system.slice(0, stable.system), system.slice(stable.system).trimStart()] : [system];
  return texts.filter((each) => each !== '');
}

function toTool(
  { name, description, parameters }: LoadedRequest['tools'][number],
  strict: boolean | undefined,
): LanguageModelV4FunctionTool {
  const inputSchema = parameters as LanguageModelV4FunctionTool['inputSchema'];
  return { type: 'function', name: wireName(name), description, inputSchema, ...defined({ strict }) };
}

function toMessages(request: LoadedRequest, rules: PromptRules): LanguageModelV4Message[] {
  const idOf = createCallIds();
  /** The ids that the calls of the last assistant message were given, in order. */
  let ids: readonly string[] = [];
  const wellFormedOnes = wellFormed(request.messages);
  const isInWords = rules.callsNeedTools === true && request.tools.length === 0;
  const ours = isInWords ? wellFormedOnes.map(callsInWords) : wellFormedOnes;
  const question = ours.findLastIndex(({ role }) => role === 'user');
  const messages = ours.flatMap((message, index): LanguageModelV4Message[] => {
    if (message.role === 'user') {
      const content = message.parts.flatMap((part) => userPart(part, request, rules));
      return [{ role: 'user', content: content.length > 0 ? content : [text('[an empty message]')] }];
    }
    if (message.role === 'context') {
      if (rules.systemBetween && message.instructs) return [{ role: 'system', content: message.text }];
      return [{ role: 'user', content: [text(message.text)] }];
    }
    if (message.role === 'tool')
      return [{ role: 'tool', content: message.results.map((each, at) => toolResult(each, ids[at]!, request, rules)) }];
    const compacted = message.parts.flatMap((part) => compactedMessages(part, request.model));
    ids = message.toolCalls.map(({ callId }) => idOf(callId));
    const details = detailsIn(message, request.model);
    const content = assistantParts(
      details === undefined ? message : withoutThoughts(message),
      ids,
      request,
      rules.plainReasoning === true && (index > question || ids.length > 0),
    );
    return [...compacted, ...(content.length > 0 ? [{ role: 'assistant' as const, content, ...details }] : [])];
  });
  return withCachePoints(withoutNeighbours(messages), rules.cachePoint);
}

/** No two users in a row: an answer of which nothing may go back leaves the questions around it side by side. */
function withoutNeighbours(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const joined: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    else joined.push(message);
  }
  return joined;
}

/** On the last part of the newest messages that are not the model's own: the next request finds the one before it. */
function withCachePoints(
  messages: readonly LanguageModelV4Message[],
  cachePoint: SharedV4ProviderOptions | undefined,
): LanguageModelV4Message[] {
  if (!cachePoint) return [...messages];
  const cacheable = messages.flatMap(({ role }, index) => (role === 'assistant' ? [] : [index]));
  const marked = cacheable.slice(-CACHED_MESSAGES);
  return messages.map((message, index) =>
    marked.includes(index) ? { ...message, providerOptions: cachePoint } : message,
  );
}

/**
 * The pieces of reasoning that came with a message, unchanged. None if a secret was taken out of its reasoning.
 */
function detailsIn({ parts }: { readonly parts: readonly Part[] }, model: string) {
  const reasoning = parts.map((part) => (part.type === 'reasoning' ? (part.text ?? '') : '')).join('');
  for (const part of parts) {
    if (part.type !== 'reasoning' || part.opaque === undefined) continue;
    const opaque = decodeOpaque(part.opaque, model);
    if (opaque?.kind !== 'details' || opaque.digest !== digestOf(reasoning)) continue;
    const details = withTexts(opaque.details, reasoning) as SharedV4ProviderOptions[string][string];
    return { providerOptions: { openaiCompatible: { reasoning_details: details } } };
  }
  return undefined;
}

function withoutThoughts(message: Extract<ModelMessage, { role: 'assistant' }>): typeof message {
  return { ...message, parts: message.parts.filter((part) => part.type !== 'reasoning' || part.opaque !== undefined) };
}

/** The vendor's compaction of earlier messages, as messages that its package turns back into the vendor's form. */
function compactedMessages(part: Part, model: string): LanguageModelV4Message[] {
  if (part.type !== 'reasoning' || part.opaque === undefined) return [];
  const opaque = decodeOpaque(part.opaque, model);
  if (opaque?.kind !== 'compaction') return [];
  return opaque.items.map((item): LanguageModelV4Message => {
    if (item.kind === 'user') return { role: 'user', content: [text(item.text)] };
    return { role: 'assistant', content: [{ type: 'custom', kind: item.name, providerOptions: item.options }] };
  });
}

function userPart(part: Part | QuotedFile, { readBlob }: LoadedRequest, { shows }: PromptRules): UserPart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [text(part.text)];
    case 'reasoning':
      return [];
    case 'image':
      return [image(part, readBlob, shows(part.mediaType))];
    case 'file': {
      const content = readBlob(part.blob);
      if (content && part.mediaType === 'application/pdf' && shows(part.mediaType))
        return [{ ...file(part.mediaType, content), filename: part.name }];
      return [text(fileText(part, content))];
    }
  }
}

function assistantParts(
  { parts, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>,
  ids: readonly string[],
  { model, readBlob }: LoadedRequest,
  withPlainReasoning: boolean,
): AssistantPart[] {
  const content: AssistantPart[] = [];
  const callMetadata = new Map<string, SharedV4ProviderOptions>();
  let thoughts = '';
  /** The text right before, which marks on a text belong to. */
  let lastText: LanguageModelV4TextPart | undefined;
  const dropThoughts = (): void => {
    if (withPlainReasoning && thoughts !== '') content.push({ type: 'reasoning', text: thoughts });
    thoughts = '';
  };
  for (const part of parts) {
    if (part.type === 'reasoning') {
      if (part.opaque === undefined) {
        thoughts += part.text ?? '';
        lastText = undefined;
        continue;
      }
      const opaque = decodeOpaque(part.opaque, model);
      const thought = thoughts + (part.text ?? '');
      // What belongs to a text, a call or the whole message leaves the reasoning before it as it is.
      thoughts = opaque === undefined || opaque.kind === 'reasoning' ? '' : thought;
      if (opaque?.kind === 'reasoning' && opaque.digest === digestOf(thought))
        content.push({ type: 'reasoning', text: thought, providerOptions: opaque.metadata });
      if (opaque?.kind === 'call') callMetadata.set(opaque.callId, opaque.metadata);
      if (opaque?.kind === 'text' && lastText) lastText.providerOptions = opaque.metadata;
      lastText = undefined;
      continue;
    }
    // Unsigned reasoning is left out where the vendor would not take it: it is not part of the answer.
    dropThoughts();
    const said = assistantText(part, readBlob);
    lastText = said.trim() === '' ? undefined : text(said);
    if (lastText) content.push(lastText);
  }
  dropThoughts();
  toolCalls.forEach((call, index) => {
    content.push(toolCall(call, ids[index]!, callMetadata.get(call.callId)));
  });
  return content;
}

/** A long answer is stored in a file; it is still the model's own text. */
function assistantText(part: Exclude<Part, { type: 'reasoning' }>, readBlob: LoadedRequest['readBlob']): string {
  if (part.type === 'text') return part.text;
  return part.type === 'image' ? missingImage(part) : fileText(part, readBlob(part.blob));
}

/** Arguments that were not an object when the model gave them are shown to it as they were. */
function toolCall(
  { name, args }: ModelToolCall,
  toolCallId: string,
  providerOptions: SharedV4ProviderOptions | undefined,
): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId,
    toolName: wireName(name),
    input: isObject(args) ? args : { value: args ?? null },
    ...(providerOptions && { providerOptions }),
  };
}

type ToolResult = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** A failure has only text: vendors accept nothing else for one. */
function toolResult(
  { name, content, isError, images = [] }: ModelToolResult,
  toolCallId: string,
  { readBlob }: LoadedRequest,
  { shows, imagesInResults = false }: PromptRules,
): ToolResult {
  const seen = images.map((part) => image(part, readBlob, imagesInResults && !isError && shows(part.mediaType)));
  const words = [content === '' && images.length === 0 ? '(no output)' : content];
  for (const part of seen) if (part.type === 'text') words.push(part.text);
  const files = seen.filter((part) => part.type === 'file');
  const value = words.filter((word) => word !== '').join('\n');
  const result = { type: 'tool-result' as const, toolCallId, toolName: wireName(name) };
  if (isError) return { ...result, output: { type: 'error-text', value } };
  if (files.length === 0) return { ...result, output: { type: 'text', value } };
  return { ...result, output: { type: 'content', value: [...(value === '' ? [] : [text(value)]), ...files] } };
}

function image(part: ImagePart, readBlob: LoadedRequest['readBlob'], isShown: boolean): UserPart {
  const content = readBlob(part.blob);
  if (!content) return text(missingImage(part));
  return isShown ? file(part.mediaType, content) : text(unseenImage(part));
}

function text(value: string): LanguageModelV4TextPart {
  return { type: 'text', text: value };
}

function file(mediaType: string, data: Uint8Array): LanguageModelV4FilePart {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}
