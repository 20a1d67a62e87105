// The events of a message of Mistral Vibe. No message has a time.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { beginTurn, endTurn } from '../turns.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (record.role === 'user') readPrompt(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (record.role === 'tool') readResult(record, given);
  return { record: nonEmpty(record.message_id) };
}

function readPrompt({ content: text, injected }: JsonObject, given: SessionGiven): void {
  const content = contentOf(text, given);
  if (content.parts.length === 0) return;
  if (injected === true) {
    addInjected(content.text, given);
    return;
  }
  beginTurn(content.text, given);
  addUserMessage({ content, isSynthetic: false }, given);
}

/** An answer without a call is the last one of its turn. */
function readAnswer(record: JsonObject, given: SessionGiven): void {
  const message = shortText(record.message_id);
  const calls = objectsIn(record.tool_calls);
  const { provider } = given.state;
  given.state.steps += 1;
  const content = contentOf(record.content, given, nonEmpty(record.reasoning_content));
  addAnswer({ content, provider, finish: calls.length > 0 ? 'tool-calls' : 'stop', message }, given);
  for (const { id: callId, function: called } of calls) {
    const { name, arguments: args } = objectIn(called) ?? {};
    if (!addCall({ callId, name, args, message }, given)) given.left.push('tool_calls[]');
  }
  if (calls.length === 0) endTurn(given, 'completed');
}

function readResult({ tool_call_id, content }: JsonObject, given: SessionGiven): void {
  const callId = nonEmpty(tool_call_id);
  if (callId === undefined) given.left.push('content');
  else addResult({ callId, status: 'ok', text: contentOf(content, given).text }, given);
}

function contentOf(value: unknown, given: SessionGiven, reasoning?: string): Content {
  const content = new Content();
  content.addReasoning(given.state.provider, reasoning);
  if (value !== undefined && value !== null && typeof value !== 'string') given.left.push('content');
  content.addText(textIn(value));
  return content;
}
