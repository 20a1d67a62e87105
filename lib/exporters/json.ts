// The session JSON: the state of the session projection, which `<id>.json` holds too. Written member by member and
// element by element, so that no text as long as the session ever exists.
import { type RedactExport, redactedValue } from './redacted.ts';

/** `redact` goes over every text, those of member names too. */
export function* exportJson(session: object, redact?: RedactExport): Generator<string, void, void> {
  const clean = (value: unknown) => (redact ? redactedValue(value, redact) : value);
  let before = '{\n  ';
  for (const [name, value] of Object.entries(session)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(clean(name))}: `;
    if (Array.isArray(value)) yield* writeList(value, clean);
    else yield indented(clean(value), '  ');
    before = ',\n  ';
  }
  yield before === '{\n  ' ? '{}\n' : '\n}\n';
}

function* writeList(elements: readonly unknown[], clean: (value: unknown) => unknown): Generator<string, void, void> {
  let before = '[\n    ';
  for (const element of elements) {
    yield before + indented(clean(element) ?? null, '    ');
    before = ',\n    ';
  }
  yield elements.length === 0 ? '[]' : '\n  ]';
}

function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
