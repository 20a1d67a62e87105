// The session JSON: the state of the session projection, which `<id>.json` holds too. Written member by member and
// element by element, so that no text as long as the session ever exists, and no list has to be there as a whole.
import { type Redact, redactedValue } from './redacted.ts';

/** Lists may be any iterables, also asynchronous ones. `redact` goes over every text, those of member names too. */
export async function* exportJson(session: object, redact?: Redact): AsyncGenerator<readonly string[], void, void> {
  const clean = (value: unknown) => (redact ? redactedValue(value, redact) : value);
  let before = '{\n  ';
  for (const [name, value] of Object.entries(session)) {
    if (value === undefined) continue;
    yield [`${before}${JSON.stringify(clean(name))}: `];
    if (isList(value)) yield* writeList(value, clean);
    else yield [indented(clean(value), '  ')];
    before = ',\n  ';
  }
  yield [before === '{\n  ' ? '{}\n' : '\n}\n'];
}

type List = Iterable<unknown> | AsyncIterable<unknown>;

function isList(value: unknown): value is List {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

async function* writeList(
  elements: List,
  clean: (value: unknown) => unknown,
): AsyncGenerator<readonly string[], void, void> {
  let before = '[\n    ';
  let end = '[]';
  for await (const element of elements) {
    yield [before, indented(clean(element) ?? null, '    ')];
    before = ',\n    ';
    end = '\n  ]';
  }
  yield [end];
}

function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
