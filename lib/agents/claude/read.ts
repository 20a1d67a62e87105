// What a record of Claude Code says in events. The program writes one line for each block of an answer, with the usage
// repeated, and results of parallel calls between them: each line gives its events immediately, with the id of the answer,
// and the folds join them. docs/agents.md lists what stays in the source.
import type { EventData } from '../../events/index.ts';
import type { ImagePart, Part } from '../../messages/index.ts';
import type { AgentEvent, Attachment, JsonObject, Translation } from '../agent.ts';
import { type FoundImage, imageOf } from '../attachments.ts';
import { Given as GivenIn } from '../given.ts';
import { argumentsIn, countIn, nonEmpty, objectIn, objectsIn, saysSomething, shortened, textIn } from '../members.ts';
import { divide, isInterruption } from './injected.ts';
import { type ClaudeState, firstOf, headOf, rememberPrompt, rememberRecord } from './state.ts';

export const PROVIDER = 'anthropic';
/** The program made the answer itself: an error, or a filler. */
const MADE_BY_PROGRAM = '<synthetic>';
/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_REMEMBERED_CHARACTERS = 500;

type Given = GivenIn<ClaudeState>;

export function translate(record: JsonObject, state: ClaudeState, { seq }: { readonly seq: number }): Translation {
  const given = new GivenIn(state, seq);
  if (isOfConversation(record, state)) read(record, given);
  const uuid = nonEmpty(record.uuid);
  if (uuid !== undefined && isOfConversation(record, state)) {
    const head = given.events.length > 0 ? given.seq - 1 : headBefore(record, given);
    rememberRecord(state, uuid, head, seq);
    if (typeof record.parentUuid === 'string') state.isChained = true;
  }
  return {
    record: uuid,
    at: textIn(record.timestamp),
    turn: state.turn === 0 ? undefined : state.turn,
    events: given.events,
    left: given.left,
  };
}

/** What the record continues from: the event that the conversation had come to with the one before it. */
function headBefore({ parentUuid, logicalParentUuid }: JsonObject, { state, seq }: Given): number {
  const parent = nonEmpty(parentUuid) ?? nonEmpty(logicalParentUuid);
  if (parent !== undefined) return headOf(state, parent) ?? seq - 1;
  // In a file whose records follow each other, one that follows nothing begins the conversation again.
  return parentUuid === null && state.isChained ? 0 : seq - 1;
}

function isOfConversation({ isSidechain }: JsonObject, { isSubagent }: ClaudeState): boolean {
  return isSidechain !== true || isSubagent;
}

function read(record: JsonObject, given: Given): void {
  switch (record.type) {
    case 'user':
      readUser(record, given);
      break;
    case 'assistant':
      readAssistant(record, given);
      break;
    case 'system':
      readSystem(record, given);
      break;
    case 'attachment':
      readAttachment(record, given);
      break;
    case 'custom-title':
      readTitle(record.customTitle, 'user', given);
      break;
    case 'ai-title':
      readTitle(record.aiTitle, 'derived', given);
      break;
    case 'summary':
      readSummary(record, given);
      break;
    case 'cost-state':
      endIfAnswered(given);
      readCost(record, given);
      break;
    case 'last-prompt':
      endIfAnswered(given);
      break;
  }
}

function readUser(record: JsonObject, given: Given): void {
  const message = objectIn(record.message);
  const { content } = message ?? {};
  if (record.isCompactSummary === true) {
    readCompactSummary(textOfContent(content), given);
    return;
  }
  for (const block of objectsIn(content)) if (block.type === 'tool_result') readResult(record, block, given);
  const { parts, attachments } = readBlocks(content, given);
  const isBesideResult = objectsIn(content).some(({ type }) => type === 'tool_result');
  const { typed, injected } = isBesideResult ? { typed: [], injected: parts } : divide(record, parts);
  if (typed.length > 0) beginTurn(record, textOfParts(typed), given);
  if (injected.length > 0) addUserMessage(injected, { isSynthetic: true, attachments }, given);
  if (typed.length > 0) addUserMessage(typed, { isSynthetic: given.state.isSubagent, attachments }, given);
  if (isInterruption(textOfParts(injected))) endTurn(given, 'cancelled');
}

function addUserMessage(
  parts: readonly Part[],
  { isSynthetic, attachments = [] }: { readonly isSynthetic: boolean; readonly attachments?: Blocks['attachments'] },
  given: Given,
): void {
  const blobs = new Set(parts.map((part) => (part.type === 'image' ? part.blob : '')));
  const own = attachments.filter(({ blob }) => blobs.has(blob));
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts: [...parts],
      trusted: false,
      ...(isSynthetic ? { synthetic: true as const } : {}),
    },
    attachments: own.length === 0 ? undefined : own,
  });
}

/** A prompt that continues from before the last one takes back what came between. */
function beginTurn(record: JsonObject, input: string, given: Given): void {
  const { state } = given;
  const head = headBefore(record, given);
  if (state.isTurnOpen) endTurn(given, state.isAnswered ? 'completed' : 'interrupted');
  if (head < state.promptSeq) given.add({ type: 'branch.moved', data: { head, reason: 'branch' } });
  rememberPrompt(state, nonEmpty(record.parentUuid) ?? '', head);
  state.promptSeq = given.seq;
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

function endTurn(given: Given, status: EventData<'turn.ended'>['status'], more: { durationMs?: number } = {}): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', turn: state.turn, data: { status, steps: state.steps, ...more } });
}

function endIfAnswered(given: Given): void {
  if (given.state.isAnswered) endTurn(given, 'completed');
}

function readAssistant(record: JsonObject, given: Given): void {
  const { state } = given;
  const message = objectIn(record.message) ?? {};
  const model = shortText(message.model);
  if (model === MADE_BY_PROGRAM) {
    readMadeByProgram(record, message, given);
    return;
  }
  const id = shortText(message.id) ?? shortText(record.uuid);
  if (id !== undefined && id !== state.answer) beginAnswer(state, id);
  if (model !== undefined && model !== state.model) {
    state.model = model;
    given.add({ type: 'model.changed', data: { provider: PROVIDER, model } });
  }
  const isStopped = record.isAbortedMidStream === true;
  const finish = isStopped ? 'cancelled' : FINISHES[textIn(message.stop_reason) ?? ''];
  const ofMessage = id === undefined ? {} : { message: id };
  const { parts, attachments } = readBlocks(message.content, given);
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        provider: PROVIDER,
        ...(model === undefined ? {} : { model }),
        ...(finish === undefined ? {} : { finish }),
        ...ofMessage,
      },
      attachments,
    });
  }
  for (const block of objectsIn(message.content)) {
    if (block.type === 'tool_use') readCall(block, ofMessage, given);
  }
  // Older versions do not say why the answer ended.
  const isText =
    nonEmpty(message.stop_reason) === undefined &&
    !isStopped &&
    objectsIn(message.content).some(({ type }) => type === 'text');
  state.isAnswered = isText || finish === 'stop' || finish === 'length' || finish === 'content-filter';
  if (!isCopied(record)) readUsage(objectIn(message.usage), given);
}

const FINISHES: Readonly<Record<string, EventData<'message.added'>['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'content-filter',
  pause_turn: 'other',
};

function beginAnswer(state: ClaudeState, id: string): void {
  state.answer = id;
  state.usage = undefined;
  state.answerCost = 0;
  state.steps += 1;
}

/** A fork begins with copies of what another session holds: what that used is counted there. */
function isCopied({ forkedFrom, requestSessionId, sessionId }: JsonObject): boolean {
  if (objectIn(forkedFrom) !== undefined) return true;
  return typeof requestSessionId === 'string' && requestSessionId !== sessionId;
}

/** The same usage comes with each part of an answer, and grows at times: what changed is reported again. */
function readUsage(usage: JsonObject | undefined, given: Given): void {
  const { state } = given;
  const own = countIn(usage?.input_tokens);
  const outputTokens = countIn(usage?.output_tokens);
  if (usage === undefined || own === undefined || outputTokens === undefined || state.answer === '') return;
  const cachedTokens = countIn(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = countIn(usage.cache_creation_input_tokens) ?? 0;
  const reasoningTokens = countIn(objectIn(usage.output_tokens_details)?.thinking_tokens);
  const inputTokens = own + cachedTokens + cacheWriteTokens;
  const before = state.usage;
  const isSame =
    before?.inputTokens === inputTokens &&
    before.outputTokens === outputTokens &&
    before.reasoningTokens === reasoningTokens;
  if (isSame) return;
  state.usage = {
    inputTokens,
    outputTokens,
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
  reportUsage(given);
}

function reportUsage(given: Given): void {
  const { usage, answer, answerCost, model } = given.state;
  if (usage === undefined) return;
  const cost = answerCost > 0 ? { totalCost: answerCost } : {};
  const data = { ...usage, ...cost, source: 'provider', model, provider: PROVIDER, message: answer } as const;
  given.add({ type: 'usage.reported', data });
}

/** The program states what the session has cost so far: what came since is that of the last answer. */
function readCost({ totalCostUSD }: JsonObject, given: Given): void {
  const { state } = given;
  if (typeof totalCostUSD !== 'number' || !(totalCostUSD > state.cost)) return;
  state.answerCost += totalCostUSD - state.cost;
  state.cost = totalCostUSD;
  reportUsage(given);
}

/** An error ends the turn; anything else that the program says in the place of the model is no part of the talk. */
function readMadeByProgram(record: JsonObject, message: JsonObject, given: Given): void {
  if (record.isApiErrorMessage !== true) return;
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  const error = { code: 'PROVIDER_FAILED', message: textOfContent(message.content) };
  given.add({ type: 'turn.ended', data: { status: 'failed', steps: state.steps, error } });
}

function readCall(block: JsonObject, ofMessage: { readonly message?: string }, given: Given): void {
  const callId = nonEmpty(block.id);
  const name = nonEmpty(block.name);
  if (callId === undefined || name === undefined) {
    given.left.push('message.content[tool_use]');
    return;
  }
  given.add({ type: 'tool.requested', data: { callId, name, args: argumentsIn(block.input), ...ofMessage } });
}

function readResult(record: JsonObject, block: JsonObject, given: Given): void {
  const callId = nonEmpty(block.tool_use_id);
  if (callId === undefined) {
    given.left.push('message.content[tool_result]');
    return;
  }
  given.state.isAnswered = false;
  const decided = decisionOf(record, callId);
  if (decided !== undefined) given.add(decided);
  const { parts, attachments } = readBlocks(block.content, given);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = parts.filter((part): part is ImagePart => part.type === 'image');
  const more = objectIn(record.toolUseResult);
  const subagent = nonEmpty(more?.agentId);
  const durationMs = countIn(more?.totalDurationMs) ?? countIn(more?.durationMs);
  given.add({
    type: 'tool.finished',
    data: {
      callId,
      status: decided?.data.decision === 'deny' ? 'denied' : block.is_error === true ? 'error' : 'ok',
      result: { llmContent: texts.join('\n'), ...(images.length === 0 ? {} : { images }) },
      trusted: false,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(subagent === undefined ? {} : { subagent: `claude:agent-${subagent}` }),
    },
    attachments,
  });
}

function decisionOf(record: JsonObject, callId: string): (AgentEvent & { type: 'tool.decided' }) | undefined {
  const decision = objectIn(record.permissionDecision);
  const denial = nonEmpty(record.toolDenialKind);
  const isDenied = denial !== undefined || decision?.decision === 'reject' || isRefusal(record);
  if (!isDenied && decision?.decision !== 'accept') return undefined;
  const by = isRefusal(record) || decision?.source === 'user' || denial?.startsWith('user') ? 'user' : 'agent';
  const reason = denial ?? nonEmpty(decision?.reasonType);
  return {
    type: 'tool.decided',
    data: { callId, decision: isDenied ? 'deny' : 'allow', by, ...(reason === undefined ? {} : { reason }) },
  };
}

/** What the program writes as the result where the user said no, without a member that says so in older versions. */
function isRefusal({ toolUseResult }: JsonObject): boolean {
  return (
    typeof toolUseResult === 'string' && /^(?:Error: )?(?:The user doesn't want to|User rejected)/.test(toolUseResult)
  );
}

interface Blocks {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

/** The parts of a message that are content. Calls and results are not parts. */
function readBlocks(content: unknown, given: Given): Blocks {
  if (typeof content === 'string')
    return { parts: saysSomething(content) ? [textPart(content)] : [], attachments: undefined };
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const block of objectsIn(content)) {
    switch (block.type) {
      case 'text': {
        const text = textIn(block.text);
        if (saysSomething(text)) parts.push(textPart(text));
        break;
      }
      case 'thinking':
        addReasoning(parts, nonEmpty(block.thinking), nonEmpty(block.signature));
        break;
      case 'redacted_thinking':
        addReasoning(parts, undefined, nonEmpty(block.data));
        break;
      case 'image': {
        const image = imageOfSource(objectIn(block.source));
        if (image === undefined) given.left.push('message.content[image]');
        else {
          parts.push(image.part);
          attachments.push(image.attachment);
        }
        break;
      }
      case 'tool_use':
      case 'tool_result':
        break;
      default:
        given.left.push(`message.content[${typeof block.type === 'string' ? block.type : ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

function imageOfSource(source: JsonObject | undefined): FoundImage | undefined {
  return imageOf(source?.media_type, source?.data);
}

function addReasoning(parts: Part[], text: string | undefined, opaque: string | undefined): void {
  if (text === undefined && opaque === undefined) return;
  parts.push({
    type: 'reasoning',
    ...(text === undefined ? {} : { text }),
    ...(opaque === undefined ? {} : { opaque }),
    provider: PROVIDER,
  });
}

function textPart(text: string): Part {
  return { type: 'text', text };
}

function textOfParts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return texts.join('\n');
}

function readSystem(record: JsonObject, given: Given): void {
  const { state } = given;
  if (record.subtype === 'compact_boundary') {
    const metadata = objectIn(record.compactMetadata);
    const segment = objectIn(metadata?.preservedSegment);
    state.boundary = {
      by: metadata?.trigger === 'manual' ? 'user' : 'auto',
      tokensBefore: countIn(metadata?.preTokens) ?? 0,
      tokensAfter: countIn(metadata?.postTokens),
      keptFrom: shortText(segment?.headUuid),
    };
  } else if (record.subtype === 'turn_duration') {
    const durationMs = countIn(record.durationMs);
    endTurn(given, state.isAnswered ? 'completed' : 'interrupted', durationMs === undefined ? {} : { durationMs });
  }
}

/** The summary follows its boundary. Everything before is covered but the records that the boundary names. */
function readCompactSummary(summary: string, given: Given): void {
  const { state, seq } = given;
  const { boundary } = state;
  const head = boundary?.keptFrom === undefined ? undefined : firstOf(state, boundary.keptFrom);
  const keptFrom = Math.max(state.keptFrom, Math.min(seq, head ?? seq));
  state.boundary = undefined;
  if (summary === '') return;
  if (seq > 1) {
    const to = Math.max(1, keptFrom - 1);
    const covers = { from: Math.min(state.keptFrom, to), to };
    const tokensAfter = boundary?.tokensAfter ?? Math.ceil(summary.length / CHARACTERS_PER_TOKEN);
    given.add({
      type: 'compaction.completed',
      data: {
        strategy: 'summarize',
        covers,
        keptFrom,
        summary,
        tokensBefore: boundary?.tokensBefore ?? tokensAfter,
        tokensAfter,
        by: boundary?.by ?? 'auto',
      },
    });
    state.keptFrom = keptFrom;
    return;
  }
  // In older versions a compaction began another file with it: there is nothing here that it covers.
  addUserMessage([textPart(summary)], { isSynthetic: true }, given);
}

function readAttachment(record: JsonObject, given: Given): void {
  const attachment = objectIn(record.attachment) ?? {};
  const text = textOfAttachment(attachment);
  if (!saysSomething(text)) return;
  const parts = [textPart(text)];
  const canBeTyped = attachment.type === 'queued_command' && attachment.commandMode !== 'task-notification';
  const { typed, injected } = canBeTyped ? divide(record, parts) : { typed: [], injected: parts };
  if (injected.length > 0) addUserMessage(injected, { isSynthetic: true }, given);
  // Typed while a turn ran, and answered in that.
  if (typed.length > 0) addUserMessage(typed, { isSynthetic: false }, given);
}

/** What the model was given of the conversation's matter: files, hooks and what the user typed meanwhile. */
function textOfAttachment(attachment: JsonObject): string | undefined {
  switch (attachment.type) {
    case 'queued_command':
      return textOfContent(attachment.prompt);
    case 'file':
      return fileText(textIn(attachment.filename), objectIn(objectIn(attachment.content)?.file)?.content);
    case 'nested_memory':
      return fileText(textIn(attachment.path), objectIn(attachment.content)?.content);
    case 'edited_text_file':
      return fileText(textIn(attachment.filename), attachment.snippet);
    case 'hook_additional_context': {
      const { content } = attachment;
      return Array.isArray(content) ? content.filter((one) => typeof one === 'string').join('\n') : textIn(content);
    }
    default:
      return undefined;
  }
}

function fileText(path: string | undefined, content: unknown): string | undefined {
  return typeof content === 'string' && content !== '' ? `${path ?? ''}\n${content}` : undefined;
}

function readTitle(text: unknown, by: 'user' | 'derived', given: Given): void {
  const { state } = given;
  const title = shortText(text);
  if (!saysSomething(title) || (by === 'derived' && state.isTitled)) return;
  if (by === 'user') state.isTitled = true;
  if (title === state.title) return;
  state.title = title;
  // Before the first event it becomes the title that the session begins with.
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title, by } });
}

/** Most of these are of other sessions, which a list showed. */
function readSummary({ summary, leafUuid }: JsonObject, given: Given): void {
  if (typeof leafUuid === 'string' && headOf(given.state, leafUuid) !== undefined) readTitle(summary, 'derived', given);
  else given.left.push('summary');
}

/** What is remembered is short, whatever a record holds. */
function shortText(value: unknown): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text, MAX_REMEMBERED_CHARACTERS);
}
