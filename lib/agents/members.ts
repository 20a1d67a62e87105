// What a module takes out of records that may hold anything at all: a member of the kind that it expects, or nothing.
import { isAbsolute } from 'node:path';
import { MAX_DATA_DEPTH } from '../journal/format.ts';
import { isObject, parseObject } from '../platform/json.ts';
import type { JsonObject } from './agent.ts';

export { defined } from '../platform/json.ts';

export { parseObject };

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A text with something in it. */
export function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function objectIn(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The elements of an array that are objects. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The blocks of a message. A text by itself is one. */
export function blocksIn(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

/** A count: a whole number, not negative. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** An amount: finite, not negative. */
export function amountIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Whether the text is more than white space: a provider refuses a part that is not. */
export function saysSomething(text: string | undefined): text is string {
  return text !== undefined && /\S/.test(text);
}

/** Texts of a message as one; undefined if none of them says something. */
export function joinedTexts(texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter(saysSomething).join('\n') || undefined;
}

const SHORT_CHARACTERS = 500;

/** A text that is not empty, shortened, because the memory is bounded. */
export function shortText(value: unknown, characters = SHORT_CHARACTERS): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text, characters);
}

const MAX_PATH_CHARACTERS = 2000;

/** A path. One that is cut would be another one: a longer one is none. */
export function pathIn(value: unknown): string | undefined {
  const path = nonEmpty(value);
  return path !== undefined && path.length <= MAX_PATH_CHARACTERS ? path : undefined;
}

export function absolutePathIn(value: unknown): string | undefined {
  const path = pathIn(value);
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** The first characters of a text, without the rest of it in memory. */
export function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : Buffer.from(text.slice(0, characters)).toString();
}

/** What a journal takes, less what an event has around it. */
const MAX_DEPTH = MAX_DATA_DEPTH - 8;

/**
 * Arguments of a call: an object, also one that the program keeps as JSON; else what there is, as `raw`. What no
 * journal takes (nested too deeply, a number beyond all bounds) stays in the source.
 */
export function argumentsIn(value: unknown): { [member: string]: unknown } {
  const object = typeof value === 'string' ? parseObject(value) : value;
  if (!isStorable(value) || !isStorable(object)) return { raw: NOT_STORABLE };
  if (isObject(object)) return object;
  return value === undefined || value === null || value === '' ? {} : { raw: value };
}

const NOT_STORABLE = '(only in the source)';

function isStorable(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isStorable(member, depth - 1));
}
