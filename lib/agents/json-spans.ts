// Finds where JSON values begin and end in bytes, without making anything of them. Works on latin1 text, in which an
// index is a byte. Linear, and without recursion: the depth of a value costs nothing.

interface JsonSpan {
  readonly start: number;
  readonly stop: number;
}

/** The offset after the value that begins at `start`; undefined if it does not end, or none begins there. */
export function endOfValue(text: string, start: number): number | undefined {
  const opening = text[start];
  if (opening === '"') return endOfString(text, start);
  if (opening !== '{' && opening !== '[') return endOfScalar(text, start);
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  for (let depth = 0; ; ) {
    const mark = marks.exec(text);
    if (mark === null) return undefined;
    if (mark[0] === '"') {
      const end = endOfString(text, mark.index);
      if (end === undefined) return undefined;
      marks.lastIndex = end;
    } else if (mark[0] === '{' || mark[0] === '[') {
      depth += 1;
    } else {
      depth -= 1;
      if (depth === 0) return mark.index + 1;
    }
  }
}

/** The members of the object that begins at `start`, by name, each with the span of its value. */
export function* membersOf(text: string, start: number): Generator<{ name: string } & JsonSpan> {
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    if (nameEnd === undefined) return;
    const colon = skipSpace(text, nameEnd);
    const valueStart = skipSpace(text, colon + 1);
    const stop = endOfValue(text, valueStart);
    if (stop === undefined) return;
    yield { name: text.slice(at + 1, nameEnd - 1), start: valueStart, stop };
    at = skipSpace(text, skipSpace(text, stop) + 1);
  }
}

/** The elements of the array that begins at `start`. */
export function* elementsOf(text: string, start: number): Generator<JsonSpan> {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    const stop = endOfValue(text, at);
    if (stop === undefined) return;
    yield { start: at, stop };
    const comma = skipSpace(text, stop);
    if (text[comma] !== ',') return;
    at = skipSpace(text, comma + 1);
  }
}

export function skipSpace(text: string, at: number): number {
  const space = /[ \t\r\n]*/y;
  space.lastIndex = at;
  space.exec(text);
  return Math.max(at, space.lastIndex);
}

function endOfString(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return undefined;
}

function endOfScalar(text: string, start: number): number | undefined {
  const scalar = /[^\s,}\]"{[:]+/y;
  scalar.lastIndex = start;
  return scalar.exec(text) === null ? undefined : scalar.lastIndex;
}
