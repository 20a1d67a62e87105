// Translates records of Copilot CLI into events. The file is a log of the program's actions: a record is never changed,
// and records of a subagent, which are marked, are between the others: they form a session of their own. docs/agents.md
// lists what stays in the source.
import { gitRemote } from '../../platform/git-remote.ts';
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { addCompaction, addFailedCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import { ELSEWHERE, insideKey, rememberInside } from '../inside.ts';
import { countIn, defined, nonEmpty, objectIn, objectsIn, pathIn, saysSomething, textIn } from '../members.ts';
import { addAnswer, addUserMessage } from '../said.ts';
import { beginTurn, endTurn, failTurn, leaveTurn } from '../turns.ts';
import { readAsset, readAttachments } from './content.ts';
import { type CopilotGiven, type CopilotState, PROVIDER, shortId } from './state.ts';
import { readCall, readPermission, readPermissionRequest, readResult, readStart } from './tools.ts';
import { countElsewhere, readCompactionUsage, readOutput, readTotals, readUsageRecord } from './usage.ts';

export function translate(record: JsonObject, given: CopilotGiven): RecordFacts {
  const { state } = given;
  const data = objectIn(record.data) ?? {};
  const wasOpen = state.isTurnOpen;
  const aside = asideOf(record);
  if (aside === undefined ? state.inside === '' : aside === state.inside) read(record.type, data, given);
  else if (aside === undefined) return readAround(record.type, data, state);
  else if (state.inside === '') seeAside(record.type, aside, data, state);
  else return { type: ELSEWHERE };
  // What a turn that is over asked for is not waited for.
  if (wasOpen && !state.isTurnOpen) state.calls = [];
  const said = { record: nonEmpty(record.id), at: textIn(record.timestamp) };
  return state.inside === '' ? said : { ...said, type: plainTypeOf(record) };
}

/** What a subagent did. */
export function isAside(record: JsonObject): boolean {
  return asideOf(record) !== undefined;
}

/** The subagent that did it: by its id, which is that of the call that started it. */
function asideOf({ agentId, data }: JsonObject): string | undefined {
  return nonEmpty(agentId) ?? nonEmpty(objectIn(data)?.parentToolCallId);
}

/** What a record is counted as, wherever it is. A message without text is a reminder, which is repeated at will. */
export function plainTypeOf({ type, data }: JsonObject): string {
  const name = textIn(type) ?? '';
  const said = objectIn(data) ?? {};
  const isReminder = name === 'user.message' && !saysSomething(textIn(said.content)) && isInjected(said);
  return isReminder ? `${name}/reminder` : name;
}

/** A subagent works where its session does. */
function readAround(type: unknown, data: JsonObject, state: CopilotState): RecordFacts {
  if (type === 'session.start' || type === 'session.resume') readContext(objectIn(data.context) ?? {}, state);
  return { type: ELSEWHERE };
}

function seeAside(type: unknown, aside: string, data: JsonObject, state: CopilotState): void {
  const key = insideKey(aside);
  if (key !== undefined) rememberInside(state.insides, key);
  if (type === 'session.usage_record') state.hasUsageRecords = true;
  // The totals at the end hold the tokens of subagents, too.
  if (type === 'assistant.message') countElsewhere(data.model, data.outputTokens, state);
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
      readModel(data.selectedModel, given);
      break;
    case 'session.context_changed':
      if (given.seq < 2) readContext(data, given.state);
      break;
    case 'session.model_change':
      readModel(data.newModel, given);
      break;
    case 'session.auto_mode_resolved':
      readModel(data.chosenModel, given);
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
    case 'subagent.started':
      readModel(data.model, given);
      break;
    case 'subagent.completed':
      endTurn(given, 'completed', defined({ durationMs: countIn(data.durationMs) }));
      break;
    case 'subagent.failed':
      failTurn(textIn(data.error) ?? '', given);
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
      readUsageRecord(objectIn(data.usage) ?? {}, given);
      break;
    case 'session.shutdown':
      leaveTurn(given);
      readTotals(objectIn(data.modelMetrics) ?? {}, given);
      break;
  }
}

function readContext(context: JsonObject, state: CopilotState): void {
  const { cwd, branch, headCommit } = context;
  state.cwd = pathIn(cwd) ?? state.cwd;
  state.branch = shortId(branch) ?? state.branch;
  state.commit = shortId(headCommit) ?? state.commit;
  state.remote = remoteIn(context) ?? state.remote;
}

/** The repository as its host names it. */
export function remoteIn({ repository, repositoryHost }: JsonObject): string | undefined {
  return gitRemote(`https://${textIn(repositoryHost) ?? ''}/${textIn(repository) ?? ''}`);
}

/** `auto` is a rule to choose one by: the answer says which. */
function readModel(name: unknown, given: CopilotGiven): void {
  if (name !== 'auto') changeModel(PROVIDER, name, given);
}

function readUserMessage(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  const input = textIn(data.content) ?? '';
  const content = new Content();
  content.addText(input);
  readAttachments(data.attachments, content, given);
  if (content.parts.length === 0) return;
  const isOfSubagent = state.inside !== '';
  const isSynthetic = isOfSubagent || isInjected(data);
  // A message of the user while the program works is a part of the running turn.
  if ((isOfSubagent ? !state.isTurnOpen : !isSynthetic) && !(state.isTurnOpen && data.delivery === 'steering')) {
    state.calls = [];
    beginTurn(input, given);
  }
  addUserMessage({ content, isSynthetic }, given);
}

/**
 * An answer may come in several records, one for each time that the model thought: the call of the model joins them.
 */
function readAnswer(data: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  readModel(data.model, given);
  const message = shortId(data.apiCallId) ?? shortId(data.messageId);
  if (message === undefined || message !== state.answer) state.steps += 1;
  state.answer = message ?? '';
  const calls = objectsIn(data.toolRequests);
  const text = textIn(data.content);
  const content = new Content();
  const opaque = nonEmpty(data.reasoningOpaque) ?? nonEmpty(data.encryptedContent);
  content.addReasoning(PROVIDER, nonEmpty(data.reasoningText), opaque);
  content.addText(text);
  const finish = calls.length === 0 ? undefined : 'tool-calls';
  addAnswer({ content, finish, message }, given);
  for (const call of calls) readCall(call, message, given);
  state.isAnswered = saysSomething(text) && calls.length === 0;
  readOutput(data.outputTokens, message, given);
}

/** Everything before is covered. */
function readCompaction(data: JsonObject, given: CopilotGiven): void {
  const summary = textIn(data.summaryContent);
  if (data.success === false) addFailedCompaction(textIn(data.error) ?? '', given);
  else if (saysSomething(summary)) {
    const tokens = { tokensBefore: countIn(data.preCompactionTokens), tokensAfter: countIn(data.postCompactionTokens) };
    addCompaction({ summary, ...tokens, by: data.trigger === 'manual' ? 'user' : 'auto' }, given);
  }
  readCompactionUsage(objectIn(data.compactionTokensUsed) ?? {}, given);
}

/** The conversation begins again, in the same session. */
function clear(given: CopilotGiven): void {
  if (given.seq < 2) return;
  leaveTurn(given);
  given.add({ type: 'branch.moved', data: { head: 0, reason: 'branch' } });
}
