// `UIMessage`s of the AI SDK, as `useChat` has them and a page stores them. An answer of several steps is one message
// there: here each step is an answer with its calls, and their results follow it. Parts that no model is sent, such as
// sources and data, are not among these; the session keeps each message as it was handed in.
import { isObject } from '../../platform/json.ts';
import { listIn, objectIn } from '../http/read-answer.ts';
import type { ModelToolCall } from '../provider.ts';
import { markOf, readPart } from './ai-sdk.ts';
import type { ReadForm } from './form.ts';
import { fileOf, type GivenMessage, type GivenPart, type GivenResult, notOfForm } from './given.ts';

const NAME = 'ai-sdk-ui';
const TOOL = 'tool-';

export const aiSdkUiForm: ReadForm = {
  read: (given) => (Array.isArray(given) ? given : [given]).flatMap(readMessage),
};

function readMessage(given: unknown): readonly GivenMessage[] {
  if (!isObject(given)) throw notOfForm(NAME, 'it is not an object.');
  if (!Array.isArray(given.parts)) throw notOfForm(NAME, 'it has no parts.');
  const parts = given.parts.map((part) => {
    if (isObject(part) && typeof part.type === 'string') return part;
    throw notOfForm(NAME, 'a part of it has no type.');
  });
  switch (given.role) {
    case 'system':
    case 'user': {
      const said = parts.flatMap(readSaid);
      return said.length === 0 ? [] : [{ role: given.role, parts: said }];
    }
    case 'assistant':
      return readAnswer(parts);
    default:
      throw notOfForm(NAME, `it has the role ${JSON.stringify(given.role)}.`);
  }
}

/** Text after a call comes after its result: a vendor runs some tools within an answer. */
function readAnswer(parts: readonly Record<string, unknown>[]): readonly GivenMessage[] {
  const messages: GivenMessage[] = [];
  let [said, calls, results]: [GivenPart[], ModelToolCall[], GivenResult[]] = [[], [], []];
  const endStep = () => {
    if (said.length + calls.length > 0) messages.push({ role: 'assistant', parts: said, calls });
    if (results.length > 0) messages.push({ role: 'tool', results });
    [said, calls, results] = [[], [], []];
  };
  for (const part of parts) {
    const call = callOf(part);
    if (call !== undefined) {
      said.push(...markOf(part.callProviderMetadata, call.callId));
      calls.push(call);
      results.push(...resultOf(part, call));
    } else if (part.type === 'step-start') endStep();
    else if (part.type === 'steering-message') {
      endStep();
      messages.push({ role: 'user', parts: listIn(part, 'parts').flatMap((each) => readSaid(objectIn(each))) });
    } else {
      const read = readSaid(part);
      if (read.length > 0 && calls.length > 0) endStep();
      said.push(...read);
    }
  }
  endStep();
  return messages;
}

function readSaid(part: Record<string, unknown>): readonly GivenPart[] {
  if (part.type === 'text' || part.type === 'reasoning') return readPart(part);
  if (part.type !== 'file') return [];
  return [fileOf(part.url, { mediaType: part.mediaType, name: part.filename })];
}

/** Undefined while its arguments are still arriving. */
function callOf(part: Record<string, unknown>): ModelToolCall | undefined {
  const { type, toolName, toolCallId, state, input, rawInput } = part;
  const name = type === 'dynamic-tool' ? toolName : nameIn(String(type));
  if (name === undefined || state === 'input-streaming') return undefined;
  if (typeof name !== 'string' || typeof toolCallId !== 'string') throw notOfForm(NAME, 'a call has no name or no id.');
  return { callId: toolCallId, name, args: input ?? rawInput };
}

function nameIn(type: string): string | undefined {
  return type.startsWith(TOOL) ? type.slice(TOOL.length) : undefined;
}

/** Empty while the result is not known, and for an output that later ones of the same call replace. */
function resultOf(part: Record<string, unknown>, { callId, name }: ModelToolCall): readonly GivenResult[] {
  const { state, output, errorText, approval, preliminary } = part;
  const about = { callId, name, files: [] };
  switch (state) {
    case 'output-available': {
      if (preliminary === true) return [];
      const content = typeof output === 'string' ? output : JSON.stringify(output ?? null);
      return [{ ...about, status: 'ok', content }];
    }
    case 'output-error':
      return [{ ...about, status: 'error', content: String(errorText ?? '') }];
    case 'output-denied':
      return [{ ...about, status: 'denied', content: String(objectIn(approval).reason ?? '') }];
    default:
      return [];
  }
}
