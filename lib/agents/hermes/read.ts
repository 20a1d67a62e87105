// The events of a message of Hermes Agent, and the head of a session from its first ones.
import { changeModel, changeTitle } from '../about.ts';
import type { HeadDraft, JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, parseObject, pathIn, saysSomething, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { timeOf } from '../translator.ts';
import { beginTurn, endTurn } from '../turns.ts';
import { millisecondsOf } from './times.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  const session = objectIn(record.session);
  if (session !== undefined) readSession(session, given);
  else if (record.role === 'user') readPrompt(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (record.role === 'tool') readResult(record, given);
  return {
    record: typeof record.id === 'number' ? String(record.id) : shortText(record.id),
    at: millisecondsOf(record.timestamp),
  };
}

function readSession(
  { title, title_source, model, billing_provider, cwd, git_branch }: JsonObject,
  given: SessionGiven,
): void {
  const { state } = given;
  state.cwd = pathIn(cwd) ?? state.cwd;
  state.branch = shortText(git_branch) ?? state.branch;
  changeModel(shortText(billing_provider) ?? '', model, given);
  changeTitle(title, title_source === 'user' ? 'user' : 'derived', given);
}

function readPrompt({ content, display_kind, _compressed_summary }: JsonObject, given: SessionGiven): void {
  const text = textIn(content) ?? '';
  if (!saysSomething(text)) return;
  if (display_kind === 'hidden' || _compressed_summary === 1) {
    addInjected(text, given);
    return;
  }
  const typed = new Content();
  typed.addText(text);
  beginTurn(text, given);
  addUserMessage({ content: typed, isSynthetic: given.state.isSubagent }, given);
}

function readAnswer(record: JsonObject, given: SessionGiven): void {
  const { state } = given;
  const { provider, model } = state;
  const message = typeof record.id === 'number' ? String(record.id) : shortText(record.id);
  const calls = callsIn(record.tool_calls);
  const content = new Content();
  content.addReasoning(provider, nonEmpty(record.reasoning) ?? nonEmpty(record.reasoning_content), undefined);
  content.addText(textIn(record.content));
  state.steps += 1;
  state.isAnswered = calls.length === 0;
  addAnswer({ content, provider, model, finish: calls.length > 0 ? 'tool-calls' : undefined, message }, given);
  for (const call of calls) {
    const { name, arguments: args } = objectIn(call.function) ?? {};
    if (!addCall({ callId: call.id, name, args, message }, given)) given.left.push('tool_calls[]');
  }
  if (record.finish_reason === 'stop') endTurn(given, 'completed');
  if (record.finish_reason === 'length') endTurn(given, 'completed', { incomplete: 'length' });
}

function callsIn(value: unknown): readonly JsonObject[] {
  return objectsIn(parseObject(`{"list":${textIn(value) ?? 'null'}}`)?.list);
}

function readResult({ tool_call_id, content }: JsonObject, given: SessionGiven): void {
  const callId = nonEmpty(tool_call_id);
  if (callId === undefined) {
    given.left.push('tool_call_id');
    return;
  }
  given.state.isAnswered = false;
  const text = textIn(content) ?? '';
  addResult({ callId, status: parseObject(text)?.success === false ? 'error' : 'ok', text }, given);
}

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.title);
    head.cwd ??= nonEmpty(session.cwd);
    head.branch ??= nonEmpty(session.git_branch);
    return false;
  }
  head.startedAt ??= timeOf(millisecondsOf(record.timestamp));
  const isTyped = record.role === 'user' && record.display_kind !== 'hidden' && record._compressed_summary !== 1;
  if (isTyped && saysSomething(textIn(record.content))) head.firstPrompt ??= textIn(record.content);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(millisecondsOf(record.timestamp));
  head.model ??= nonEmpty(objectIn(record.session)?.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
