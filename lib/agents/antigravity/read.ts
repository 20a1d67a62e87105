// The events of a step of Antigravity. A call has no id: the results of an answer's calls come in their order.
import { parseJson } from '../../platform/json.ts';
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { countIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addCall, addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { AntigravityGiven } from './state.ts';

const REQUEST = /<USER_REQUEST>\n?([\s\S]*?)\n?<\/USER_REQUEST>/;
const MODEL = /The user changed setting `Model Selection` from .{1,200}? to (.{1,200}?)\. /;
const MAX_WAITING = 50;
const MAX_ARGUMENT = 200_000;

export function translate(record: JsonObject, given: AntigravityGiven): RecordFacts {
  const step = stepOf(record);
  if (record.type === 'USER_INPUT') readPrompt(record, given);
  else if (record.type === 'PLANNER_RESPONSE') readAnswer(record, step, given);
  else if (record.type === 'SYSTEM_MESSAGE') addInjected(textIn(record.content) ?? '', given);
  else if (isResult(record)) readResult(record, step, given);
  return { record: step, at: nonEmpty(record.created_at) };
}

/** A step of the model that is not an answer is what a call of it did. */
export function isResult({ source, type }: JsonObject): boolean {
  return source === 'MODEL' && nonEmpty(type) !== undefined && type !== 'PLANNER_RESPONSE';
}

function stepOf({ step_index }: JsonObject): string | undefined {
  const step = countIn(step_index);
  return step === undefined ? undefined : String(step);
}

/** The text that was typed, and the words of the program around it. */
export function promptIn(content: unknown): { readonly prompt: string; readonly rest: string } {
  const text = textIn(content) ?? '';
  const found = REQUEST.exec(text);
  if (found === null) return { prompt: text, rest: '' };
  return { prompt: found[1] ?? '', rest: text.replace(found[0], '').trim() };
}

/** The name of the model that a prompt says was chosen. */
export function modelIn(content: unknown): string | undefined {
  return shortText(MODEL.exec(promptIn(content).rest)?.[1]);
}

function readPrompt({ content: text }: JsonObject, given: AntigravityGiven): void {
  const { prompt, rest } = promptIn(text);
  changeModel('', modelIn(text), given);
  addPrompt(new Content(prompt), given);
  addInjected(rest, given);
}

function readAnswer(record: JsonObject, step: string | undefined, given: AntigravityGiven): void {
  const { state } = given;
  const calls = objectsIn(record.tool_calls).map(({ name, args }, index) => {
    return { callId: `${step ?? ''}.${index + 1}`, name, args: argumentsOf(args) };
  });
  const content = new Content();
  content.addReasoning('', nonEmpty(record.thinking));
  content.addText(textIn(record.content));
  addStep({ content, calls, message: step, left: 'tool_calls[]' }, given);
  const named = calls.filter(({ name }) => nonEmpty(name) !== undefined);
  state.waiting = named.slice(0, MAX_WAITING).map(({ callId }) => callId);
}

/** Each argument is JSON in a text. */
function argumentsOf(args: unknown): unknown {
  const members = objectIn(args);
  if (members === undefined) return args;
  const decode = (value: unknown) =>
    typeof value === 'string' && value.length <= MAX_ARGUMENT ? (parseJson(value) ?? value) : value;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, decode(value)]));
}

/** A result without a known call has its own type as the name of one. */
function readResult({ type, status, content }: JsonObject, step: string | undefined, given: AntigravityGiven): void {
  const waiting = given.state.waiting.shift();
  const callId = waiting ?? step;
  if (callId === undefined) {
    given.left.push('content');
    return;
  }
  if (waiting === undefined) addCall({ callId, name: shortText(type), args: {} }, given);
  addResult({ callId, status: statusOf(textIn(status) ?? ''), text: textIn(content) ?? '' }, given);
}

function statusOf(status: string): 'ok' | 'error' | 'cancelled' {
  if (/CANCEL/.test(status)) return 'cancelled';
  return status === 'DONE' ? 'ok' : 'error';
}
