// Takes secrets out of every text of a JSON value, those in member names too.

/** A journal takes nothing deeper. */
const MAX_DEPTH = 256;

/**
 * Returns the same value if there is nothing to take out. Values that are not JSON, or too deep for a journal, are left
 * for the journal to refuse.
 */
export function redactValue(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => redactValue(element, redact, depth + 1));
    return elements.every((element, index) => element === value[index]) ? value : elements;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const members = Object.entries(value);
  const changed = members.map(([name, member]) => [redact(name), redactValue(member, redact, depth + 1)] as const);
  const isSame = changed.every(([name, member], index) => name === members[index]![0] && member === members[index]![1]);
  return isSame ? value : Object.fromEntries(changed);
}

/** Whether nothing in a value is redacted. */
export function isClean(value: unknown, redact: (text: string) => string): boolean {
  return redactValue(value, redact) === value;
}
