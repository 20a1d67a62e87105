// Whether an event can be stored as it is. A value that JSON would change silently (NaN, a function, a Map) is refused
// with its path, so that every event is read back as it was given.
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import { KEY_MAX_LENGTH, MAX_DATA_DEPTH, TYPE_MAX_LENGTH, TYPE_PATTERN } from '../format.ts';
import type { NewEvent } from '../types.ts';

/** More values do not fit into a line. The limit ends objects that share members so often that they never end. */
const MAX_VALUES = 8 * 1024 * 1024;

/** @throws OllmError EVENT_INVALID, naming the member that cannot be stored */
export function validateEvent(event: NewEvent): void {
  const fault = faultOfEnvelope(event) ?? faultOfData(event.data);
  if (fault !== undefined) throw invalid(event, fault);
}

/** Why the event cannot be stored, apart from its data, as the end of a sentence. */
export function faultOfEnvelope({ type, turn, id, ignorable, data }: NewEvent): string | undefined {
  if (typeof type !== 'string' || type.length > TYPE_MAX_LENGTH || !TYPE_PATTERN.test(type)) {
    return `type must look like "noun.verbed" and have at most ${TYPE_MAX_LENGTH} characters`;
  }
  if (turn !== undefined && !(Number.isSafeInteger(turn) && turn >= 1 && turn <= MAX_TURN)) {
    return 'turn must be a whole number from 1';
  }
  if (id !== undefined && !(typeof id === 'string' && id.length >= 1 && id.length <= KEY_MAX_LENGTH)) {
    return `id must be a text of 1 to ${KEY_MAX_LENGTH} characters`;
  }
  if (ignorable !== undefined && ignorable !== true) return 'ignorable must be true or absent';
  return isObject(data) ? undefined : 'data must be an object';
}

/** The highest number that is read by position. */
const MAX_TURN = 99_999_999_999_999;

function faultOfData(data: object): string | undefined {
  const fault = faultOf(data, 1, { values: 0 });
  return fault === undefined ? undefined : `data${fault}`;
}

interface Walk {
  values: number;
}

/** Where and why a value cannot be stored, as the rest of a path: `.a[3].b is a function`. */
function faultOf(value: unknown, depth: number, walk: Walk): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : ` is ${value}, which JSON cannot hold`;
    case 'object':
      return value === null ? undefined : faultOfObject(value, depth, walk);
    default:
      return ` is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}, which JSON cannot hold`;
  }
}

function faultOfObject(value: object, depth: number, walk: Walk): string | undefined {
  if (depth > MAX_DATA_DEPTH) return ` is nested more than ${MAX_DATA_DEPTH} deep`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (++walk.values > MAX_VALUES) return ` holds more than ${MAX_VALUES} values`;
      const fault = faultOf(value[index], depth + 1, walk);
      if (fault !== undefined) return `[${index}]${fault}`;
    }
    return undefined;
  }
  if (!isPlain(value)) return ` is a ${value.constructor?.name ?? 'foreign object'}, which JSON would change`;
  for (const key of Object.keys(value)) {
    if (++walk.values > MAX_VALUES) return ` holds more than ${MAX_VALUES} values`;
    const member = (value as Record<string, unknown>)[key];
    // An optional member that was set to undefined is an absent one, in TypeScript as in JSON.
    const fault = member === undefined ? undefined : faultOf(member, depth + 1, walk);
    if (fault !== undefined) return `${pathOf(key)}${fault}`;
  }
  return undefined;
}

/** Made by `{}` or without a prototype, in any realm, and without a `toJSON`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isRoot = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isRoot && typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}

function pathOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function invalid(event: NewEvent, fault: string): OllmError {
  const type = typeof event.type === 'string' ? event.type : typeof event.type;
  return new OllmError('EVENT_INVALID', `The event ${type} cannot be stored: ${fault}.`, {
    hint: 'Nothing was written. Correct the event and append it again.',
    data: { type, fault },
  });
}
