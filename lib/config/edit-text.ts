// Changes one setting in the text of a configuration file. Comments, the order of the keys and all other values stay;
// a new key comes last in its group. A text in which that cannot be done is refused, never half changed.
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { OllmError } from '../errors/index.ts';
import { canonicalJson, isObject } from '../platform/json.ts';

interface TextEdit {
  /** The way to the setting: `['providers', 'ollama', 'host']`. */
  readonly keys: readonly string[];
  /** Undefined takes the setting out, and each group that is empty without it. */
  readonly value: unknown;
  /** The path of the file, for messages. */
  readonly path: string;
}

/**
 * The text with the change.
 *
 * @example
 * await editedText('# mine\nmodel: a\n', { keys: ['model'], value: 'b', path }); // '# mine\nmodel: b\n'
 * @throws OllmError CONFIG_INVALID: the text is not YAML, or an alias prevents the change
 */
export async function editedText(text: string, edit: TextEdit): Promise<string> {
  const { parseAllDocuments, parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.errors.length > 0 || parseAllDocuments(text).length > 1) throw notEditable(edit);
  const before: unknown = document.toJS();
  if (before !== null && !isObject(before)) throw notEditable(edit);
  try {
    if (edit.value === undefined) takeOut(document, edit.keys);
    else put(document, edit.keys, edit.value);
  } catch {
    throw notEditable(edit);
  }
  const changed = printed(document, text);
  const after: unknown = parseDocument(changed).toJS();
  // A value under an anchor would change wherever an alias names it.
  if (canonicalJson(after ?? {}) !== canonicalJson(withoutEmptyGroups(before ?? {}, edit))) throw notEditable(edit);
  return text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed;
}

type Parsed = Document.Parsed;

function put(document: Parsed, keys: readonly string[], value: unknown): void {
  for (let length = 1; length < keys.length; length += 1) {
    const group = document.getIn(keys.slice(0, length), true) as Node | undefined;
    if (group === undefined || 'items' in group) continue;
    // A key with nothing after it: people comment out the lines below it.
    if ((group as { value?: unknown }).value !== null) throw new TypeError('not a group');
    const made = document.createNode({}) as YAMLMap & Node;
    made.commentBefore = group.commentBefore ?? group.comment;
    document.setIn(keys.slice(0, length), made);
  }
  const before = document.getIn(keys, true) as Node | undefined;
  // A value that replaces another keeps its node, with its comments and its quotation marks.
  const now = document.createNode(value) as Node;
  document.setIn(keys, 'items' in now ? now : value);
  if (before === undefined || !('items' in now)) return;
  // After a list of several lines there is no place for the comment of a single value.
  if ('items' in now && !('items' in before)) now.commentBefore = joined(before.commentBefore, before.comment);
  else Object.assign(now, { comment: before.comment, commentBefore: before.commentBefore });
}

function takeOut(document: Parsed, keys: readonly string[]): void {
  const group = document.getIn(keys.slice(0, -1), true) as YAMLMap | undefined;
  const index = group?.items.findIndex(({ key }) => keyOf(key) === keys.at(-1)) ?? -1;
  if (group === undefined || index === -1) return;
  const [{ key }] = group.items.splice(index, 1) as [Pair<Node>];
  const next = group.items[index]?.key as Node | undefined;
  // The comment above it may be the heading of the file.
  if (key.commentBefore && next) next.commentBefore = joined(key.commentBefore, next.commentBefore);
  else if (key.commentBefore) group.comment = joined(group.comment, key.commentBefore);
  if (group.items.length > 0 || keys.length === 1) return;
  const above = document.getIn(keys.slice(0, -2), true) as YAMLMap;
  const place = above.items.find((pair) => keyOf(pair.key) === keys.at(-2))!.key as Node;
  place.commentBefore = joined(place.commentBefore, group.commentBefore, group.comment);
  takeOut(document, keys.slice(0, -1));
}

function keyOf(key: unknown): string {
  return String((key as { value?: unknown } | null)?.value ?? key);
}

function joined(...comments: readonly (string | null | undefined)[]): string | null {
  return comments.filter((comment) => comment).join('\n') || null;
}

/** In the manner of the text, as far as it is a matter of taste. */
function printed(document: Parsed, text: string): string {
  const indent = /^[^\s#-].*:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const printed = document.toString({
    lineWidth: 0,
    indent,
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[[{] \S/.test(text),
  });
  return isObject(document.toJS()) && Object.keys(document.toJS()).length === 0
    ? printed.replace(/^\{\}\n?/m, '')
    : printed;
}

/** The settings that must result from the change. */
function withoutEmptyGroups(data: object, { keys: [name = '', ...rest], value }: Omit<TextEdit, 'path'>): unknown {
  const { [name]: inner, ...others } = data as Record<string, unknown>;
  if (rest.length === 0) return value === undefined ? others : { ...data, [name]: value };
  if (value === undefined && !isObject(inner)) return data;
  const changed = withoutEmptyGroups(isObject(inner) ? inner : {}, { keys: rest, value }) as object;
  const isGone = value === undefined && Object.keys(changed).length === 0 && changed !== inner;
  return isGone ? others : { ...data, [name]: changed };
}

function notEditable({ keys, path }: TextEdit): OllmError {
  return new OllmError('CONFIG_INVALID', `${keys.join('.')} cannot be changed in ${path} as it is written.`, {
    hint: 'It may hold an alias, several documents, or no YAML: "ollm config edit" opens it in an editor.',
    data: { path },
  });
}
