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
    const header = `[${member}.${keyOf(name)}]`;
    const table = value === undefined ? '' : tableOf(header, { [member]: { [name]: value } }, lineBreak);
    const lines = text.split(/(?<=\n)/);
    const span = spanOf(lines, header);
    if (span !== undefined) {
      const entry = objectAt(tomlFormat.parse(text) ?? {}, [member])?.[name];
      const own = lines.slice(span.from, span.to);
      if (isObject(entry) && isObject(value)) yield around(lines, span, editedTable(own, header, { entry, value }));
      yield around(lines, value === undefined ? withGap(lines, span) : span, [table]);
      return;
    }
    const before = text === '' || text.endsWith('\n') ? text : text + lineBreak;
    yield before + (before === '' || before === BOM ? '' : lineBreak) + table;
  },
};

/** A name that needs no quotes. */
const BARE = /^[A-Za-z0-9_-]+$/;

interface Span {
  readonly from: number;
  readonly to: number;
}

function around(lines: readonly string[], { from, to }: Span, middle: readonly string[]): string {
  return [...lines.slice(0, from), ...middle, ...lines.slice(to)].join('');
}

/** With the empty line before it, where another one or the end of the file comes after it. */
function withGap(lines: readonly string[], { from, to }: Span): Span {
  const isEmpty = (line = '') => line.trim() === '';
  return { from: from > 0 && isEmpty(lines[from - 1]) && isEmpty(lines[to]) ? from - 1 : from, to };
}

interface TableEdit {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The lines of the table in which only the members that differ are written again, so that comments stay. */
function editedTable(lines: readonly string[], header: string, { entry, value }: TableEdit): readonly string[] {
  const edited = [...lines];
  const lineBreak = lines[0]!.endsWith('\r\n') ? '\r\n' : '\n';
  for (const member of new Set([...Object.keys(entry), ...Object.keys(value)])) {
    const [before, after] = [entry[member], value[member]];
    // Objects of the parser have no prototype.
    if (isDeepStrictEqual(structuredClone(before), structuredClone(after))) continue;
    const inner = `${header.slice(0, -1)}.${keyOf(member)}]`;
    const span = isObject(before) ? spanOf(edited, inner) : undefined;
    if (span !== undefined) {
      const own = edited.slice(span.from, span.to);
      const middle = isObject(after)
        ? editedTable(own, inner, { entry: before as TableEdit['entry'], value: after })
        : [];
      const { from, to } = after === undefined ? withGap(edited, span) : span;
      edited.splice(from, to - from, ...middle);
      continue;
    }
    const put = after === undefined ? '' : stringify({ [member]: after }).trim();
    const place = memberIn(edited, member, before);
    const text = put === '' ? [] : [`${place.indent}${put}${place.comment}${lineBreak}`];
    edited.splice(place.from, place.to - place.from, ...text);
  }
  return edited;
}

/** The lines of a member, with its indentation and its comment; for a new member, the place where it is put. */
function memberIn(lines: readonly string[], member: string, value: unknown): MemberPlace {
  const next = lines.findIndex((line, index) => index > 0 && HEADER.test(line));
  let end = next < 0 ? lines.length : next;
  while (end > 1 && BETWEEN.test(lines[end - 1]!)) end -= 1;
  const from = lines.findIndex(
    (line, index) =>
      index > 0 &&
      index < end &&
      line
        .trimStart()
        .replace(/\s*=/, '=')
        .startsWith(`${keyOf(member)}=`),
  );
  if (from < 0) return { from: end, to: end, indent: '', comment: '' };
  const indent = /^[ \t]*/.exec(lines[from]!)![0];
  const isWhole = (text: string) => {
    const read = tomlFormat.parse(text);
    return read !== undefined && isDeepStrictEqual(structuredClone(read[member]), structuredClone(value));
  };
  // A list may have several lines.
  let to = from + 1;
  while (to < end && !isWhole(lines.slice(from, to).join(''))) to += 1;
  const line = lines[to - 1]!.trimEnd();
  const before = lines.slice(from, to - 1).join('');
  for (let at = line.indexOf('#'); at >= 0; at = line.indexOf('#', at + 1)) {
    const head = line.slice(0, at);
    if (isWhole(before + head)) return { from, to, indent, comment: line.slice(head.trimEnd().length) };
  }
  return { from, to, indent, comment: '' };
}

interface MemberPlace extends Span {
  readonly indent: string;
  readonly comment: string;
}

function keyOf(name: string): string {
  return BARE.test(name) ? name : JSON.stringify(name);
}

/** The lines of a table and of those inside it, without the comments before the next one. */
function spanOf(lines: readonly string[], header: string): Span | undefined {
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
