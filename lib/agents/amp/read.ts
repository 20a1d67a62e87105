// The events of a message of Amp. Results of calls come in the role of the user; an answer that calls nothing, or is
// broken off, ends a turn.
import { fileURLToPath } from 'node:url';
import type { EventData } from '../../events/index.ts';
import { gitRemote } from '../../platform/git-remote.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Content } from '../content.ts';
import { absolutePathIn, blocksIn, countIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven, SessionMemory } from '../session-state.ts';
import { endTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';

const FINISHES: Readonly<Record<string, 'stop' | 'tool-calls' | 'length'>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
};
/** How a call may end; the texts are those of a call that did not run to its end. */
const ENDS: Readonly<Record<string, EventData<'tool.finished'>['status']>> = {
  done: 'ok',
  error: 'error',
  cancelled: 'cancelled',
  'rejected-by-user': 'denied',
};

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (isThread(record)) readThread(record, given.state);
  else if (record.role === 'user') readUser(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  return { record: keyOf(record), at: timeIn(record) };
}

/** Whether it is the record of the members around the messages. */
export function isThread(record: JsonObject): boolean {
  return record.role === undefined && record.messageId === undefined;
}

/** Milliseconds since 1970, or RFC 3339. Of messages with results there is none. */
export function timeIn(record: JsonObject): number | string | undefined {
  if (isThread(record)) return countIn(record.created);
  return countIn(objectIn(record.meta)?.sentAt) ?? nonEmpty(objectIn(record.usage)?.timestamp);
}

interface Tree {
  /** Absolute. */
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly remote?: string | undefined;
}

/** The directory in which the thread began, and its repository. */
export function treeIn({ env }: JsonObject): Tree {
  const [tree] = objectsIn(objectIn(objectIn(env)?.initial)?.trees);
  const { ref, sha, url } = objectIn(tree?.repository) ?? {};
  return {
    cwd: pathOf(nonEmpty(tree?.uri)),
    branch: nonEmpty(ref)?.replace(/^refs\/heads\//, ''),
    commit: nonEmpty(sha),
    remote: gitRemote(textIn(url) ?? ''),
  };
}

function pathOf(uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined;
  try {
    return absolutePathIn(fileURLToPath(uri));
  } catch {
    return undefined;
  }
}

/** The typed text of a message; '' if it has only results of calls. */
export function promptIn({ content }: JsonObject): string {
  const texts = blocksIn(content).flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  return texts.filter((text) => text.trim() !== '').join('\n');
}

function readThread(record: JsonObject, state: SessionMemory): void {
  const { cwd, branch, commit, remote } = treeIn(record);
  state.title = shortText(record.title) ?? '';
  state.cwd = cwd ?? '';
  state.branch = shortText(branch) ?? '';
  state.commit = shortText(commit) ?? '';
  state.remote = shortText(remote) ?? '';
}

function keyOf({ messageId }: JsonObject): string | undefined {
  const number = countIn(messageId);
  return number === undefined ? shortText(messageId) : `m${number}`;
}

function readUser({ content: list }: JsonObject, given: SessionGiven): void {
  const content = new Content();
  for (const block of blocksIn(list)) {
    if (block.type === 'text') content.addText(textIn(block.text));
    else if (block.type === 'tool_result') readResult(block, given);
    else if (block.type !== 'image' || !addImage(block, content)) given.left.push(nameOf(block));
  }
  addPrompt(content, given);
}

function readAnswer(record: JsonObject, given: SessionGiven): void {
  const { state } = given;
  const message = keyOf(record);
  const { type, stopReason } = objectIn(record.state) ?? {};
  const usage = objectIn(record.usage) ?? {};
  const model = shortText(usage.model) ?? '';
  const blocks = blocksIn(record.content);
  const content = new Content();
  for (const block of blocks) {
    const { thinking, signature, provider } = block;
    if (block.type === 'text') content.addText(textIn(block.text));
    else if (block.type === 'thinking') {
      content.addReasoning(shortText(provider) ?? '', nonEmpty(thinking), nonEmpty(signature));
    } else if (block.type === 'image' ? !addImage(block, content) : block.type !== 'tool_use') {
      given.left.push(nameOf(block));
    }
  }
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) => ({ callId: id, name, args: input }));
  const finish = type === 'complete' ? FINISHES[textIn(stopReason) ?? ''] : undefined;
  addStep({ content, calls, model, finish, message, left: 'content[tool_use]' }, given);
  state.isAnswered = type === 'complete' && calls.length === 0;
  reportUsage(usage, { model, message }, given);
  const durationMs = countIn(record.turnElapsedMs);
  if (type === 'cancelled') endTurn(given, 'cancelled', { durationMs });
  else if (state.isAnswered) endTurn(given, 'completed', { durationMs });
}

function readResult({ toolUseID, run }: JsonObject, given: SessionGiven): void {
  const callId = nonEmpty(toolUseID);
  const { status, result, error, reason } = objectIn(run) ?? {};
  const end = ENDS[textIn(status) ?? ''];
  if (callId === undefined || end === undefined) {
    given.left.push('content[tool_result]');
    return;
  }
  const told =
    end === 'ok' ? textOf(result) : end === 'error' ? textOf(objectIn(error)?.message ?? error) : textOf(reason);
  addResult({ callId, status: end, text: told }, given);
}

/** The output of a shell, or a text; any other result as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const output = objectIn(value)?.output;
  return typeof output === 'string' ? output : JSON.stringify(value);
}

function reportUsage(
  usage: JsonObject,
  { model, message }: { readonly model: string; readonly message: string | undefined },
  given: SessionGiven,
): void {
  const { inputTokens: fresh, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = usage;
  const whole = countIn(fresh) === undefined ? undefined : countIn(usage.totalInputTokens);
  const cache = { cachedTokens: cacheReadInputTokens, cacheWriteTokens: cacheCreationInputTokens };
  const used = { inputTokens: whole ?? fresh, outputTokens, ...cache, isCacheApart: whole === undefined };
  addUsage(used, { model, message }, given);
}

function addImage({ source }: JsonObject, content: Content): boolean {
  const { mediaType, data } = objectIn(source) ?? {};
  return content.addImage(imageOf(mediaType, data));
}

function nameOf({ type }: JsonObject): string {
  return `content[${textIn(type) ?? ''}]`;
}
