// Settings in JSON, with comments where the program takes them. The text is cut at places that the tree of the parser
// names: the form around them, which is a matter of the user's taste, is never printed again.
import { isDeepStrictEqual } from 'node:util';
import { createScanner, findNodeAtLocation, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import { isObject } from '../platform/json.ts';
import { type EntryEdit, objectAt, type SettingsFormat } from './edited.ts';

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const BOM = '\u{feff}';
/** Numbers of the scanner: its enum is declared `const`, and has no value when types are only stripped. */
const [LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, BLANK, COMMA, END] = [12, 13, 14, 15, 5, 17];

/** JSON, and JSON with comments and with a comma after the last member. */
export const jsonFormat: SettingsFormat = {
  parse(text) {
    const errors: ParseError[] = [];
    const content = withoutBom(text);
    if (content.trim() === '') return {};
    try {
      const value: unknown = parse(content, errors, { allowTrailingComma: true });
      return errors.length === 0 && isObject(value) ? value : undefined;
    } catch {
      // Deeper than the stack.
      return undefined;
    }
  },
  *edits(text, edit) {
    const content = withoutBom(text);
    const bom = text.slice(0, text.length - content.length);
    const candidates = [byMembers, byElements, changed];
    for (const edited of content.trim() === '' ? [whole(edit)] : candidates.map((by) => by(content, edit))) {
      if (edited !== undefined) yield bom + edited;
    }
  },
};

function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

function whole({ path, name, value }: EntryEdit): string {
  return `${JSON.stringify(nested(path, value === undefined ? {} : { [name]: value }), null, 2)}\n`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, member) => ({ [member]: inner }), value);
}

/** Only the members of the entry that differ are touched, so that its comments stay. Undefined if it is not there. */
function byMembers(content: string, { path, name, value }: EntryEdit): string | undefined {
  const entry = objectAt(jsonFormat.parse(content) ?? {}, path)?.[name];
  if (!isObject(entry) || !isObject(value)) return undefined;
  let text: string | undefined = content;
  for (const member of new Set([...Object.keys(entry), ...Object.keys(value)])) {
    if (isDeepStrictEqual(entry[member], value[member])) continue;
    text =
      text === undefined ? undefined : changed(text, { path: [...path, name], name: member, value: value[member] });
  }
  return text;
}

/** Takes elements out of a list, and adds some at its end. Undefined without a list. */
function byElements(content: string, { path, name, value }: EntryEdit): string | undefined {
  const list = objectAt(jsonFormat.parse(content) ?? {}, path)?.[name];
  if (!Array.isArray(list) || !Array.isArray(value)) return undefined;
  const isWanted = (element: unknown) => value.some((each) => isDeepStrictEqual(each, element));
  const edited = (text: string, change: (node: Node, style: Style) => readonly Splice[]) => {
    const root = parseTree(text, [], { allowTrailingComma: true });
    const node = root && findNodeAtLocation(root, [...path, name]);
    return node === undefined ? text : spliced(text, change(node, styleOf(text, root!)));
  };
  let text = content;
  for (const [index, element] of [...list.entries()].toReversed()) {
    if (!isWanted(element)) text = edited(text, (node) => takenOut(text, node, index));
  }
  for (const element of value.slice(list.filter(isWanted).length)) {
    text = edited(text, (node, style) => added(text, node, { value: element, style }));
  }
  return text;
}

function changed(content: string, edit: EntryEdit): string | undefined {
  const splices = splicesOf(content, edit);
  return splices && spliced(content, splices);
}

function splicesOf(content: string, { path, name, value }: EntryEdit): readonly Splice[] | undefined {
  const root = parseTree(content, [], { allowTrailingComma: true });
  if (root?.type !== 'object') return undefined;
  const style = styleOf(content, root);
  const depth = path.findIndex((_, index) => findNodeAtLocation(root, path.slice(0, index + 1)) === undefined);
  if (depth >= 0) {
    if (value === undefined) return [];
    const above = findNodeAtLocation(root, path.slice(0, depth));
    const inner = nested(path.slice(depth + 1), { [name]: value });
    return above?.type === 'object' ? added(content, above, { name: path[depth]!, value: inner, style }) : undefined;
  }
  const object = findNodeAtLocation(root, [...path]);
  if (value === undefined) return object?.type === 'object' ? takenOut(content, object, memberAt(object, name)) : [];
  if (object?.type !== 'object') return undefined;
  const entry = findNodeAtLocation(object, [name]);
  if (entry === undefined) return added(content, object, { name, value, style });
  const indent = indentAt(content, entry.parent?.offset ?? entry.offset);
  const text = isSpread(content, entry) ? printed(value, { ...style, indent }) : JSON.stringify(value);
  return [{ from: entry.offset, to: entry.offset + entry.length, text }];
}

interface Style {
  /** The step of indentation. */
  readonly unit: string;
  readonly lineBreak: string;
  /** Whether an object without members is written over several lines. */
  readonly spreads: boolean;
}

function styleOf(content: string, root: Node): Style {
  const [first] = root.children ?? [];
  const indent = first === undefined ? '' : indentAt(content, first.offset);
  return {
    unit: indent === '' ? '  ' : indent,
    lineBreak: content.includes('\r\n') ? '\r\n' : '\n',
    spreads: first === undefined || isSpread(content, root),
  };
}

/** A member after the last one of the object, in the form of that one; without a name, an element of a list. */
function added(
  content: string,
  object: Node,
  { name, value, style }: { readonly name?: string; readonly value: unknown; readonly style: Style },
): readonly Splice[] {
  const label = (space: string) => (name === undefined ? '' : `${JSON.stringify(name)}:${space}`);
  const last = object.children?.at(-1);
  const close = object.offset + object.length - 1;
  const { lineBreak, unit, spreads } = style;
  if (last === undefined) {
    const inside = content.slice(object.offset + 1, close);
    const from = object.offset + 1 + inside.trimEnd().length;
    const outer = indentAt(content, object.offset);
    if (!spreads && !inside.includes('\n')) {
      return [{ from, to: close, text: label('') + JSON.stringify(value) }];
    }
    const member = label(' ') + printed(value, { ...style, indent: outer + unit });
    return [{ from, to: close, text: lineBreak + outer + unit + member + lineBreak + outer }];
  }
  const end = last.offset + last.length;
  const { comma, rest } = afterMember(content, end, close);
  const separator = comma !== undefined ? [] : [{ from: end, to: end, text: ',' }];
  if (!startsLine(content, last.offset)) {
    const space = content[last.offset + 1] !== undefined && /":\s/.test(content.slice(last.offset, end)) ? ' ' : '';
    const text = space + label(space) + JSON.stringify(value) + (comma === undefined ? '' : ',');
    return [...separator, { from: rest, to: rest, text }];
  }
  const indent = indentAt(content, last.offset);
  const member = label(' ') + printed(value, { ...style, indent });
  return [...separator, { from: rest, to: rest, text: lineBreak + indent + member + (comma === undefined ? '' : ',') }];
}

function memberAt({ children = [] }: Node, name: string): number {
  return children.findIndex(({ children: [key] = [] }) => key?.value === name);
}

/** The member or element with its comma, and with the comments after it on its line. */
function takenOut(content: string, object: Node, index: number): readonly Splice[] {
  const members = object.children ?? [];
  const member = members[index];
  if (member === undefined) return [];
  const close = object.offset + object.length - 1;
  const { comma, rest } = afterMember(content, member.offset + member.length, close);
  const startsOwnLine = startsLine(content, member.offset);
  const from = startsOwnLine ? lineStartOf(content, member.offset) : member.offset;
  const blanks = /^[ \t]*/.exec(content.slice(rest, close))?.[0] ?? '';
  const lineBreak = startsOwnLine ? (/^\r?\n/.exec(content.slice(rest + blanks.length, close))?.[0] ?? '') : '';
  const cut = { from, to: rest + blanks.length + lineBreak.length, text: '' };
  const before = members[index - 1];
  if (comma !== undefined || before === undefined) return [cut];
  // The last one has no comma, and the one before it is to be the last.
  const separator = afterMember(content, before.offset + before.length, member.offset).comma!;
  return [{ from: separator, to: separator + 1, text: '' }, cut];
}

/** Where the comma after a member is, if there is one, and where the comments end that follow on the same line. */
function afterMember(
  content: string,
  end: number,
  close: number,
): { readonly comma: number | undefined; readonly rest: number } {
  let comma: number | undefined;
  let rest = end;
  let isSameLine = true;
  for (const { token, from, to } of tokensIn(content, end, close)) {
    const isComment = token === LINE_COMMENT || token === BLOCK_COMMENT;
    if (token === COMMA && comma === undefined) comma = from;
    else if (token === LINE_BREAK) isSameLine = false;
    else if (!isComment && token !== BLANK) break;
    if (token === COMMA || (isSameLine && isComment)) rest = to;
  }
  return { comma, rest };
}

function* tokensIn(content: string, from: number, to: number) {
  const scanner = createScanner(content.slice(0, to), false);
  scanner.setPosition(from);
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan() as number) {
    const at = scanner.getTokenOffset();
    yield { token, from: at, to: at + scanner.getTokenLength() };
  }
}

function printed(value: unknown, { unit, lineBreak, indent }: Style & { readonly indent: string }): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineBreak + indent);
}

function isSpread(content: string, { offset, length }: Node): boolean {
  return content.slice(offset, offset + length).includes('\n');
}

function startsLine(content: string, offset: number): boolean {
  return content.slice(lineStartOf(content, offset), offset).trim() === '';
}

function lineStartOf(content: string, offset: number): number {
  return content.lastIndexOf('\n', offset - 1) + 1;
}

/** The white space that the line of this place begins with. */
function indentAt(content: string, offset: number): string {
  return /^[ \t]*/.exec(content.slice(lineStartOf(content, offset), offset))?.[0] ?? '';
}

function spliced(content: string, splices: readonly Splice[]): string {
  let text = content;
  for (const { from, to, text: put } of splices.toReversed()) text = text.slice(0, from) + put + text.slice(to);
  return text;
}
