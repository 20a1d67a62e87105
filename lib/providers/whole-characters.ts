// Texts without halves of characters, which a cut text or a tool can leave and which vendors refuse as invalid JSON: in
// a history, each request after it would be refused. U+FFFD replaces a half. A whole text is returned unchanged.
import { isObject } from '../platform/json.ts';

export function wholeCharacters<Value>(value: Value): Value {
  return whole(value) as Value;
}

function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) return unlessSame(value, value.map(whole));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([name, member]) => [whole(name), whole(member)] as const);
  const isSame = changed.every(([name, member], index) => name === entries[index]![0] && member === entries[index]![1]);
  return isSame ? value : Object.fromEntries(changed);
}

function unlessSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
