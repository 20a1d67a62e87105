// The events of a message of Hermes Agent, and the head of a session from its first ones.
import { changeModel, changeTitle } from '../about.ts';
import type { HeadDraft, JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, parseObject, pathIn, saysSomething, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep, type CallOfModel } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { millisecondsIn, timeOf } from '../times.ts';
import { endTurn } from '../turns.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  const session = objectIn(record.session);
  if (session !== undefined) readSession(session, given);
  else if (record.role === 'user') readPrompt(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (record.role === 'tool') readResult(record, given);
  return {
    record: idOf(record),
    at: millisecondsIn(record.timestamp),
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
  addPrompt(new Content(text), given);
}

function readAnswer(record: JsonObject, given: SessionGiven): void {
  const content = new Content();
  content.addReasoning(given.state.provider, nonEmpty(record.reasoning) ?? nonEmpty(record.reasoning_content));
  content.addText(textIn(record.content));
  addStep({ content, calls: callsIn(record.tool_calls), message: idOf(record), left: 'tool_calls[]' }, given);
  if (record.finish_reason === 'stop') endTurn(given, 'completed');
  if (record.finish_reason === 'length') endTurn(given, 'completed', { incomplete: 'length' });
}

function idOf({ id }: JsonObject): string | undefined {
  return typeof id === 'number' ? String(id) : shortText(id);
}

function callsIn(value: unknown): readonly CallOfModel[] {
  return objectsIn(parseObject(`{"list":${textIn(value) ?? 'null'}}`)?.list).map(({ id: callId, function: called }) => {
    const { name, arguments: args } = objectIn(called) ?? {};
    return { callId, name, args };
  });
}

function readResult({ tool_call_id, content }: JsonObject, given: SessionGiven): void {
  given.state.isAnswered = false;
  const text = textIn(content) ?? '';
  const status = parseObject(text)?.success === false ? 'error' : 'ok';
  addResult({ callId: tool_call_id, left: 'tool_call_id', status, text }, given);
}

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.title);
    head.cwd ??= nonEmpty(session.cwd);
    head.branch ??= nonEmpty(session.git_branch);
    return false;
  }
  head.startedAt ??= timeOf(millisecondsIn(record.timestamp));
  const isTyped = record.role === 'user' && record.display_kind !== 'hidden' && record._compressed_summary !== 1;
  if (isTyped && saysSomething(textIn(record.content))) head.firstPrompt ??= textIn(record.content);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(millisecondsIn(record.timestamp));
  head.model ??= nonEmpty(objectIn(record.session)?.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
