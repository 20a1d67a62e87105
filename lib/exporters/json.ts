// The session JSON: the state of the session projection, as it also stands in `<id>.json`. Written member by member and
// element by element, so that no text as long as the session ever exists.

export function* exportJson(session: object): Generator<string, void, void> {
  let before = '{\n  ';
  for (const [name, value] of Object.entries(session)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}: `;
    if (Array.isArray(value)) yield* writeArray(value);
    else yield indented(value, '  ');
    before = ',\n  ';
  }
  yield before === '{\n  ' ? '{}\n' : '\n}\n';
}

function* writeArray(elements: readonly unknown[]): Generator<string, void, void> {
  let before = '[\n    ';
  for (const element of elements) {
    yield before + indented(element ?? null, '    ');
    before = ',\n    ';
  }
  yield elements.length === 0 ? '[]' : '\n  ]';
}

function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
