// The events of a step of a trajectory (RFC 0001 of Harbor, versions 1.0 to 1.7). A step of the agent holds its calls
// and their results.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { absolutePathIn, amountIn, countIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage } from '../said.ts';
import type { SessionGiven, SessionMemory } from '../session-state.ts';
import { beginTurn, endTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (isHeader(record)) readHeader(record, given.state);
  else if (record.source === 'user') readPrompt(record, given);
  else if (record.source === 'system') readSystem(record, given);
  else if (record.source === 'agent') readAnswer(record, given);
  const step = countIn(record.step_id);
  const id = step === undefined ? undefined : `step${step}`;
  return { record: id, at: textIn(record.timestamp) };
}

/** Whether it is the record of the members around the steps. */
export function isHeader(record: JsonObject): boolean {
  return record.schema_version !== undefined;
}

function readHeader({ agent, extra }: JsonObject, state: SessionMemory): void {
  state.model = shortText(objectIn(agent)?.model_name) ?? '';
  const { title, cwd } = objectIn(extra) ?? {};
  state.title = shortText(title) ?? '';
  state.cwd = absolutePathIn(cwd) ?? '';
}

function readPrompt({ message }: JsonObject, given: SessionGiven): void {
  const content = contentOf(message, given);
  if (content.parts.length === 0) return;
  beginTurn(content.text, given);
  addUserMessage({ content, isSynthetic: false }, given);
}

/** A system prompt comes before the first question; later, the system says what happened, such as a summary. */
function readSystem({ message, observation }: JsonObject, given: SessionGiven): void {
  const { parts, text } = contentOf(message, given);
  if (given.state.turn > 0) addInjected(text, given);
  else if (parts.length > 0) given.add({ type: 'message.added', data: { role: 'system', parts, trusted: false } });
  for (const { content } of resultsOf(observation)) addInjected(contentOf(content, given).text, given);
}

function readAnswer(record: JsonObject, given: SessionGiven): void {
  const { state } = given;
  const model = shortText(record.model_name) ?? state.model;
  const calls = objectsIn(record.tool_calls);
  const step = countIn(record.step_id);
  const message = step === undefined ? undefined : `step${step}`;
  const content = new Content();
  content.addReasoning('', nonEmpty(record.reasoning_content));
  addTexts(record.message, content, given);
  state.steps += 1;
  addAnswer({ content, provider: '', model, finish: calls.length > 0 ? 'tool-calls' : 'stop', message }, given);
  const asked = new Set<string>();
  for (const { tool_call_id: callId, function_name: name, arguments: args } of calls) {
    if (!addCall({ callId, name, args, message }, given)) given.left.push('tool_calls[]');
    asked.add(String(callId));
  }
  reportUsage(objectIn(record.metrics), { model, message }, given);
  let isAnswered = calls.length === 0;
  for (const { source_call_id: callId, content: result } of resultsOf(record.observation)) {
    const { text } = contentOf(result, given);
    if (typeof callId === 'string' && asked.has(callId)) {
      addResult({ callId, status: 'ok', text }, given);
    } else {
      // The action was in the text of the answer, and the agent goes on after this result.
      isAnswered = false;
      addInjected(text, given);
    }
  }
  if (isAnswered) endTurn(given, 'completed');
}

function reportUsage(
  metrics: JsonObject | undefined,
  { model, message }: { readonly model: string; readonly message: string | undefined },
  given: SessionGiven,
): void {
  const inputTokens = countIn(metrics?.prompt_tokens);
  const outputTokens = countIn(metrics?.completion_tokens);
  if (metrics === undefined || inputTokens === undefined || outputTokens === undefined) return;
  const cachedTokens = countIn(metrics.cached_tokens);
  const totalCost = amountIn(metrics.cost_usd);
  addUsage({ inputTokens, outputTokens, cachedTokens, totalCost }, { provider: '', model, message }, given);
}

function resultsOf(observation: unknown): readonly JsonObject[] {
  return objectsIn(objectIn(observation)?.results);
}

function contentOf(value: unknown, given: SessionGiven): Content {
  const content = new Content();
  addTexts(value, content, given);
  return content;
}

/** A text, or parts. A picture is only the path of another file, which is not read. */
function addTexts(value: unknown, content: Content, given: SessionGiven): void {
  if (typeof value === 'string') content.addText(value);
  for (const part of objectsIn(value)) {
    if (part.type === 'text') content.addText(textIn(part.text));
    else given.left.push(`message[${textIn(part.type) ?? ''}]`);
  }
}
