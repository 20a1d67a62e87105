// Settings in TOML. An entry is a table with a header of its own; a new one comes at the end of the file. Lines are put
// in and taken out as a whole, and the parser of the package decides whether the result is the wanted one: an entry
// that is written in one line with others is refused.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { isObject } from '../platform/json.ts';
import { objectAt, type SettingsFormat } from './edited.ts';

const BOM = '\u{feff}';
const HEADER = /^\s*\[/;
/** A line that belongs to the next table: empty, or a comment. */
const BETWEEN = /^\s*(?:#.*)?\s*$/;

/** TOML 1.0. */
export const tomlFormat: SettingsFormat = {
  parse(text) {
    try {
      return parse(text.startsWith(BOM) ? text.slice(BOM.length) : text, { integersAsBigInt: true });
    } catch {
      return undefined;
    }
  },
  *edits(text, { path: [member = ''], name, value }) {
    const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
    const header = `[${member}.${BARE.test(name) ? name : JSON.stringify(name)}]`;
    const table = value === undefined ? '' : tableOf(header, { [member]: { [name]: value } }, lineBreak);
    const lines = text.split(/(?<=\n)/);
    const span = spanOf(lines, header);
    if (span !== undefined) {
      const entry = objectAt(tomlFormat.parse(text) ?? {}, [member])?.[name];
      const inner = isObject(entry) && isObject(value) ? byLines(lines.slice(span.from, span.to), entry, value) : [];
      const around = (middle: readonly string[]) =>
        [...lines.slice(0, span.from), ...middle, ...lines.slice(span.to)].join('');
      if (inner.length > 0) yield around(inner);
      yield around([table]);
      return;
    }
    const before = text === '' || text.endsWith('\n') ? text : text + lineBreak;
    yield before + (before === '' || before === BOM ? '' : lineBreak) + table;
  },
};

/** A name that needs no quotes. */
const BARE = /^[A-Za-z0-9_-]+$/;

/** The lines of the table with new values for members that are a line each, so that comments stay. */
function byLines(
  lines: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
): readonly string[] {
  const edited = [...lines];
  for (const member of new Set([...Object.keys(entry), ...Object.keys(value)])) {
    if (isDeepStrictEqual(entry[member], value[member])) continue;
    const end = edited.findIndex((line, index) => index > 0 && HEADER.test(line));
    const own = end < 0 ? edited.length : end;
    const at = edited.findIndex(
      (line, index) => index < own && line.trimStart().replace(/\s*=/, '=').startsWith(`${member}=`),
    );
    const lineBreak = lines[0]!.endsWith('\r\n') ? '\r\n' : '\n';
    const put = value[member] === undefined ? [] : [`${stringify({ [member]: value[member] }).trim()}${lineBreak}`];
    if (at >= 0) edited.splice(at, 1, ...put);
    else edited.splice(own, 0, ...put);
  }
  return edited;
}

/** The lines of a table and of those inside it, without the comments before the next one. */
function spanOf(lines: readonly string[], header: string): { readonly from: number; readonly to: number } | undefined {
  const opens = (line: string, start: string) =>
    line
      .trim()
      .replaceAll(/\s*([[\].])\s*/g, '$1')
      .startsWith(start);
  const from = lines.findIndex((line) => opens(line, header));
  if (from < 0) return undefined;
  const inside = `${header.slice(0, -1)}.`;
  const next = lines.findIndex((line, index) => index > from && HEADER.test(line) && !opens(line, inside));
  let to = next < 0 ? lines.length : next;
  while (BETWEEN.test(lines[to - 1]!)) to -= 1;
  return { from, to };
}

function tableOf(header: string, table: object, lineBreak: string): string {
  const written = stringify(table);
  return `${written.slice(written.indexOf(header)).trim().replaceAll('\n', lineBreak)}${lineBreak}`;
}
