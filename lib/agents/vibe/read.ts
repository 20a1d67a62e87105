// The events of a message of Mistral Vibe. No message has a time.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { endTurn } from '../turns.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (record.role === 'user') readPrompt(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (record.role === 'tool') readResult(record, given);
  return { record: nonEmpty(record.message_id) };
}

function readPrompt({ content: text, injected }: JsonObject, given: SessionGiven): void {
  const content = contentOf(text, given);
  if (injected === true) addInjected(content.text, given);
  else addPrompt(content, given);
}

/** An answer without a call is the last one of its turn. */
function readAnswer(record: JsonObject, given: SessionGiven): void {
  const message = shortText(record.message_id);
  const calls = objectsIn(record.tool_calls).map(({ id: callId, function: called }) => {
    const { name, arguments: args } = objectIn(called) ?? {};
    return { callId, name, args };
  });
  const content = contentOf(record.content, given, nonEmpty(record.reasoning_content));
  addStep({ content, calls, finish: calls.length > 0 ? 'tool-calls' : 'stop', message, left: 'tool_calls[]' }, given);
  if (calls.length === 0) endTurn(given, 'completed');
}

function readResult({ tool_call_id, content }: JsonObject, given: SessionGiven): void {
  addResult({ callId: tool_call_id, left: 'content', status: 'ok', content: contentOf(content, given) }, given);
}

function contentOf(value: unknown, given: SessionGiven, reasoning?: string): Content {
  const content = new Content();
  content.addReasoning(given.state.provider, reasoning);
  if (value !== undefined && value !== null && typeof value !== 'string') given.left.push('content');
  content.addText(textIn(value));
  return content;
}
