// The events of a step of a trajectory (RFC 0001 of Harbor, versions 1.0 to 1.7). A step of the agent holds its calls
// and their results.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { absolutePathIn, countIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven, SessionMemory } from '../session-state.ts';
import { endTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (isHeader(record)) readHeader(record, given.state);
  else if (record.source === 'user') readPrompt(record, given);
  else if (record.source === 'system') readSystem(record, given);
  else if (record.source === 'agent') readAnswer(record, given);
  return { record: stepOf(record), at: textIn(record.timestamp) };
}

function stepOf({ step_id }: JsonObject): string | undefined {
  const step = countIn(step_id);
  return step === undefined ? undefined : `step${step}`;
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
  addPrompt(contentOf(message, given), given);
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
  const calls = objectsIn(record.tool_calls).map(({ tool_call_id: callId, function_name: name, arguments: args }) => {
    return { callId, name, args };
  });
  const message = stepOf(record);
  const content = new Content();
  content.addReasoning('', nonEmpty(record.reasoning_content));
  addTexts(record.message, content, given);
  const finish = calls.length > 0 ? 'tool-calls' : 'stop';
  addStep({ content, calls, model, finish, message, left: 'tool_calls[]' }, given);
  const asked = new Set(calls.map(({ callId }) => String(callId)));
  const { prompt_tokens, completion_tokens, cached_tokens: cachedTokens, cost_usd } = objectIn(record.metrics) ?? {};
  const used = { inputTokens: prompt_tokens, outputTokens: completion_tokens, cachedTokens, totalCost: cost_usd };
  addUsage(used, { model, message }, given);
  for (const { source_call_id: callId, content: result } of resultsOf(record.observation)) {
    const { text } = contentOf(result, given);
    if (typeof callId === 'string' && asked.has(callId)) {
      addResult({ callId, status: 'ok', text }, given);
    } else {
      // The action was in the text of the answer, and the agent goes on after this result.
      state.isAnswered = false;
      addInjected(text, given);
    }
  }
  if (state.isAnswered) endTurn(given, 'completed');
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
