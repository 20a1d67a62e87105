// What a record of Copilot CLI says in events. The file is a log of what the program did: a record is never changed,
// and what a subagent did is between the others, marked. docs/agents.md lists what stays in the source.
import type { Part } from '../../messages/index.ts';
import type { JsonObject, Translation } from '../agent.ts';
import { Given } from '../given.ts';
import { countIn, nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { readAsset, readAttachments } from './content.ts';
import { type CopilotGiven, type CopilotState, PROVIDER, shortText } from './state.ts';
import { readCall, readPermission, readPermissionRequest, readResult, readStart } from './tools.ts';
import { beginTurn, endTurn, failTurn, leaveTurn } from './turns.ts';
import { readCompactionUsage, readOutput, readTotals, readUsageRecord } from './usage.ts';

/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_PATH = 2000;

export function translate(record: JsonObject, state: CopilotState, { seq }: { readonly seq: number }): Translation {
  const given: CopilotGiven = new Given(state, seq);
  const data = objectIn(record.data) ?? {};
  if (!isAside(record)) read(record.type, data, given);
  else if (record.type === 'session.usage_record') readUsageRecord(objectIn(data.usage) ?? {}, true, given);
  return { record: nonEmpty(record.id), at: textIn(record.timestamp), events: given.events, left: given.left };
}

/** What a subagent did. */
export function isAside({ agentId, data }: JsonObject): boolean {
  return nonEmpty(agentId) !== undefined || nonEmpty(objectIn(data)?.parentToolCallId) !== undefined;
}

/** Whether the program put the message there. */
export function isInjected({ source, isAutopilotContinuation }: JsonObject): boolean {
  return isAutopilotContinuation === true || (nonEmpty(source) !== undefined && source !== 'user');
}

function read(type: unknown, data: JsonObject, given: CopilotGiven): void {
  switch (type) {
    case 'session.start':
    case 'session.resume':
      leaveTurn(given);
      readContext(objectIn(data.context) ?? {}, given.state);
      changeModel(data.selectedModel, given);
      break;
    case 'session.context_changed':
      if (given.seq < 2) readContext(data, given.state);
      break;
    case 'session.model_change':
      changeModel(data.newModel, given);
      break;
    case 'session.auto_mode_resolved':
      changeModel(data.chosenModel, given);
      break;
    case 'user.message':
      readUserMessage(data, given);
      break;
    case 'assistant.message':
      readAnswer(data, given);
      break;
    case 'assistant.turn_end':
      if (given.state.isAnswered) endTurn(given, 'completed');
      break;
    case 'abort':
      endTurn(given, 'cancelled');
      break;
    case 'session.error':
      failTurn(textIn(data.message) ?? '', given);
      break;
    case 'tool.execution_start':
      readStart(data, given);
      break;
    case 'tool.execution_complete':
      readResult(data, given);
      break;
    case 'permission.requested':
      readPermissionRequest(data, given);
      break;
    case 'permission.completed':
      readPermission(data, given);
      break;
    case 'session.binary_asset':
      readAsset(data, given);
      break;
    case 'session.compaction_complete':
      readCompaction(data, given);
      break;
    case 'session.context_cleared':
      clear(given);
      break;
    case 'session.usage_record':
      readUsageRecord(objectIn(data.usage) ?? {}, false, given);
      break;
    case 'session.shutdown':
      leaveTurn(given);
      readTotals(objectIn(data.modelMetrics) ?? {}, given);
      break;
  }
}

function readContext({ cwd, branch, headCommit }: JsonObject, state: CopilotState): void {
  state.cwd = shortPath(cwd) ?? state.cwd;
  state.branch = shortText(branch) ?? state.branch;
  state.commit = shortText(headCommit) ?? state.commit;
}

/** A path that is cut is another path. */
function shortPath(value: unknown): string | undefined {
  const path = nonEmpty(value);
  return path !== undefined && path.length <= MAX_PATH ? path : undefined;
}

/** `auto` is a rule to choose one by: the answer says which. */
function changeModel(name: unknown, given: CopilotGiven): void {
  const { state } = given;
  const model = shortText(name);
  if (model === undefined || model === 'auto' || model === state.model) return;
  state.model = model;
  // Before the first event it is the model that the session begins with.
  if (given.seq > 1) given.add({ type: 'model.changed', data: { provider: PROVIDER, model } });
}

function readUserMessage(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  const input = textIn(data.content) ?? '';
  const more = readAttachments(data.attachments, given);
  const parts: Part[] = [...(saysSomething(input) ? [{ type: 'text' as const, text: input }] : []), ...more.parts];
  if (parts.length === 0) return;
  const isSynthetic = isInjected(data);
  // What the user says while the program works is a part of the turn that runs.
  if (!isSynthetic && !(state.isTurnOpen && data.delivery === 'steering')) beginTurn(input, given);
  given.add({
    type: 'message.added',
    data: { role: 'user', parts, trusted: false, ...(isSynthetic ? { synthetic: true as const } : {}) },
    attachments: more.attachments,
  });
}

/**
 * An answer may come in several records, one for each time that the model thought: the call of the model joins them.
 */
function readAnswer(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  changeModel(data.model, given);
  const message = shortText(data.apiCallId) ?? shortText(data.messageId);
  const ofMessage = message === undefined ? {} : { message };
  if (message === undefined || message !== state.answer) state.steps += 1;
  state.answer = message ?? '';
  const calls = objectsIn(data.toolRequests);
  const text = textIn(data.content);
  const parts: Part[] = [...reasoningOf(data), ...(saysSomething(text) ? [{ type: 'text' as const, text }] : [])];
  if (parts.length > 0) {
    given.add({
      type: 'message.added',
      data: {
        role: 'assistant',
        parts,
        trusted: false,
        provider: PROVIDER,
        ...(state.model === '' ? {} : { model: state.model }),
        ...(calls.length === 0 ? {} : { finish: 'tool-calls' as const }),
        ...ofMessage,
      },
    });
  }
  for (const call of calls) readCall(call, ofMessage, given);
  state.isAnswered = saysSomething(text) && calls.length === 0;
  readOutput(data.outputTokens, message, given);
}

function reasoningOf({ reasoningText, reasoningOpaque, encryptedContent }: JsonObject): Part[] {
  const text = nonEmpty(reasoningText);
  const opaque = nonEmpty(reasoningOpaque) ?? nonEmpty(encryptedContent);
  if (text === undefined && opaque === undefined) return [];
  return [
    {
      type: 'reasoning',
      ...(text === undefined ? {} : { text }),
      ...(opaque === undefined ? {} : { opaque }),
      provider: PROVIDER,
    },
  ];
}

/** Everything before is covered. */
function readCompaction(data: JsonObject, given: CopilotGiven): void {
  const summary = textIn(data.summaryContent);
  const { seq } = given;
  if (data.success !== false && saysSomething(summary) && seq > 1) {
    const tokensAfter = countIn(data.postCompactionTokens) ?? Math.ceil(summary.length / CHARACTERS_PER_TOKEN);
    given.add({
      type: 'compaction.completed',
      data: {
        strategy: 'summarize',
        covers: { from: 1, to: seq - 1 },
        keptFrom: seq,
        summary,
        tokensBefore: countIn(data.preCompactionTokens) ?? tokensAfter,
        tokensAfter,
        by: data.trigger === 'manual' ? 'user' : 'auto',
      },
    });
  } else if (data.success === false) {
    const error = { code: 'PROVIDER_FAILED', message: textIn(data.error) ?? '' };
    given.add({ type: 'compaction.failed', data: { strategy: 'summarize', error } });
  }
  readCompactionUsage(objectIn(data.compactionTokensUsed) ?? {}, given);
}

/** The conversation begins again, in the same session. */
function clear(given: CopilotGiven): void {
  if (given.seq < 2) return;
  leaveTurn(given);
  given.add({ type: 'branch.moved', data: { head: 0, reason: 'branch' } });
}
