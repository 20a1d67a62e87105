// Settings in TOML. An entry is a table with a header of its own; a new one comes at the end of the file. Lines are put
// in and taken out as a whole, and the parser of the package decides whether the result is the wanted one: an entry
// that is written in one line with others is refused.
import { parse, stringify } from 'smol-toml';
import type { SettingsFormat } from './edited.ts';

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
  *edits(text, { member, name, value }) {
    const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
    const header = `[${member}.${name}]`;
    const table = value === undefined ? '' : tableOf(header, { [member]: { [name]: value } }, lineBreak);
    const lines = text.split(/(?<=\n)/);
    const span = spanOf(lines, header);
    if (span !== undefined) {
      yield [...lines.slice(0, span.from), table, ...lines.slice(span.to)].join('');
      return;
    }
    const before = text === '' || text.endsWith('\n') ? text : text + lineBreak;
    yield before + (before === '' || before === BOM ? '' : lineBreak) + table;
  },
};

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
