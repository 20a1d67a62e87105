// The events of a record of Kiro CLI. In its files of lines, only a prompt has a time.
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { amountIn, nonEmpty, objectIn, objectsIn, saysSomething, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { millisecondsIn } from '../times.ts';
import { endTurn } from '../turns.ts';
import { readPayload } from './messages.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (record.payload !== undefined) return readPayload(record, given);
  const data = objectIn(record.data) ?? {};
  const id = nonEmpty(data.message_id);
  const at = timeIn(record);
  if (record.kind === 'Prompt') readPrompt(data, given);
  else if (record.kind === 'AssistantMessage') readAnswer(data, shortText(id), given);
  else if (record.kind === 'ToolResults') readResults(data, given);
  else if (record.kind === undefined) return readConversation(record, given);
  return { record: id, at };
}

/** A record of a conversation in the database. */
function readConversation(
  { conversation, summary, user, assistant, request_metadata }: JsonObject,
  given: SessionGiven,
): RecordFacts {
  const [said, request] = [objectIn(user), objectIn(request_metadata)];
  const answer = objectIn(objectIn(assistant)?.ToolUse) ?? objectIn(objectIn(assistant)?.Response);
  changeModel('', objectIn(conversation)?.model ?? request?.model_id, given);
  if (textIn(summary) !== undefined) addInjected(textIn(summary)!, given);
  if (said !== undefined) readUser(said, given);
  if (answer !== undefined) readStoredAnswer(answer, given);
  return {
    record: shortText(answer?.message_id),
    at: nonEmpty(said?.timestamp) ?? amountIn(request?.stream_end_timestamp_ms ?? request?.request_start_timestamp_ms),
  };
}

/** The text of the user; undefined for the results of tools. */
export function promptIn(user: JsonObject | undefined): string | undefined {
  const { Prompt, CancelledToolUses } = objectIn(user?.content) ?? {};
  const prompt = textIn((objectIn(Prompt) ?? objectIn(CancelledToolUses))?.prompt);
  return saysSomething(prompt) ? prompt : undefined;
}

/** Results, and a prompt after calls that were cancelled. */
function readUser(user: JsonObject, given: SessionGiven): void {
  const { ToolUseResults, CancelledToolUses } = objectIn(user.content) ?? {};
  for (const { tool_use_id, content, status } of objectsIn(
    (objectIn(ToolUseResults) ?? objectIn(CancelledToolUses))?.tool_use_results,
  )) {
    const texts = objectsIn(content).map(
      ({ Text, Json }) => textIn(Text) ?? (Json === undefined ? '' : JSON.stringify(Json)),
    );
    const ended = CancelledToolUses !== undefined ? 'cancelled' : status === 'Error' ? 'error' : 'ok';
    const left = 'user.content.tool_use_results[]';
    addResult({ callId: tool_use_id, left, status: ended, text: texts.join('\n') }, given);
  }
  addPrompt(new Content(promptIn(user)), given);
}

/** As `readAnswer`. */
function readStoredAnswer({ message_id, content: text, tool_uses }: JsonObject, given: SessionGiven): void {
  const calls = objectsIn(tool_uses).map(({ id, name, args }) => ({ callId: id, name, args }));
  const step = { content: new Content(textIn(text)), calls, message: shortText(message_id) };
  addLast({ ...step, left: 'assistant.ToolUse.tool_uses[]' }, given);
}

/** An answer without a call is the last one of its turn. */
function addLast(step: Parameters<typeof addStep>[0], given: SessionGiven): void {
  addStep({ ...step, finish: step.calls.length > 0 ? 'tool-calls' : 'stop' }, given);
  if (step.calls.length === 0) endTurn(given, 'completed');
}

/** The time of a prompt, in milliseconds. */
export function timeIn({ data }: JsonObject): number | undefined {
  return millisecondsIn(objectIn(objectIn(data)?.meta)?.timestamp);
}

function readPrompt({ content: list }: JsonObject, given: SessionGiven): void {
  addPrompt(readContent(list, given), given);
}

function readAnswer({ content: list }: JsonObject, message: string | undefined, given: SessionGiven): void {
  const blocks = objectsIn(list).filter(({ kind }) => kind === 'toolUse');
  const calls = blocks.map(({ data }) => {
    const { toolUseId: callId, name, input: args } = objectIn(data) ?? {};
    return { callId, name, args };
  });
  addLast({ content: readContent(list, given), calls, message, left: 'data.content[toolUse]' }, given);
}

function readResults({ content: list }: JsonObject, given: SessionGiven): void {
  for (const { kind, data } of objectsIn(list)) {
    const { toolUseId, content, status } = objectIn(data) ?? {};
    const left = `data.content[${textIn(kind) ?? ''}]`;
    if (kind !== 'toolResult') given.left.push(left);
    else {
      const { text } = readContent(content, given);
      addResult({ callId: toolUseId, left, status: status === 'error' ? 'error' : 'ok', text }, given);
    }
  }
}

/** Calls are not parts. What a tool gave as JSON is said as its text. */
function readContent(list: unknown, given: SessionGiven): Content {
  const content = new Content();
  for (const { kind, data } of typeof list === 'string' ? [{ kind: 'text', data: list }] : objectsIn(list)) {
    if (kind === 'text') content.addText(textIn(data));
    else if (kind === 'json' && data !== undefined) content.addText(JSON.stringify(data));
    else if (kind === 'thinking') {
      const { text, signature } = objectIn(data) ?? {};
      content.addReasoning('', nonEmpty(text), nonEmpty(signature));
    } else if (kind !== 'toolUse') given.left.push(`data.content[${textIn(kind) ?? ''}]`);
  }
  return content;
}
