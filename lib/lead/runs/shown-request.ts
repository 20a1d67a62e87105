// What an agent asks for, as lines for a user: a change of a file as a diff, everything else as names and values. Each
// text is shown once: the command above it, or the title of the call, is not repeated from the input.
import { relative } from 'node:path';
import { isObject } from '../../platform/json.ts';
import type { AgentQuestion } from '../../runs/runner.ts';
import type { Preview } from '../../tools/action.ts';
import { unifiedDiff } from '../../tools/builtin/unified-diff.ts';

/** Members that say nothing about the effect: the kind of a call or a part, and the number of a terminal. */
const SILENT = new Set(['kind', 'type', 'terminalId']);
/** A shorter text may be in another one by chance. */
const LONG_TEXT = 12;

interface Seen {
  /** Texts on the screen. */
  readonly texts: string[];
  /** The old and the new contents of files, whose difference is shown. */
  readonly contents: readonly string[];
  readonly diffs: string[];
}

/** Undefined: the title and the command say all of it. */
export async function shownRequest(
  { title, request, command }: Pick<AgentQuestion, 'title' | 'request' | 'command'>,
  workspace: string,
): Promise<Preview | undefined> {
  const { content, ...rest } = request;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const changes = parts.filter(({ type }) => type === 'diff');
  const seen: Seen = {
    texts: [workspace, command ?? title, ...changes.map(({ path }) => String(path))],
    contents: changes.flatMap(({ oldText, newText }) => [oldText, newText].filter(isText)),
    diffs: [],
  };
  for (const { path, oldText, newText } of changes) {
    const name = relative(workspace, String(path));
    const before = isText(oldText) ? oldText : undefined;
    const { text } = await unifiedDiff(name.startsWith('..') ? String(path) : name, before, String(newText ?? ''));
    seen.diffs.push(text === '' ? `${path} stays as it is.\n` : text);
  }
  const patches = isObject(request.input) ? Object.values(request.input).filter(isPatch) : [];
  seen.texts.push(...patches);
  // A patch would be the second form of a change that is shown.
  if (changes.length === 0) seen.diffs.push(...patches.map((each) => each.trimStart()));
  const others = parts.filter(({ type }) => type !== 'diff').map((part) => textIn(part) ?? part);
  const lines = [...linesOf(rest, seen), ...others.flatMap((each) => linesOf(each, seen))];
  if (lines.length === 0 && seen.diffs.length === 0) return undefined;
  const text = [...lines, ...seen.diffs].join('\n');
  return { kind: lines.length === 0 ? 'diff' : 'text', text };
}

/** Adds the texts of its lines to `seen`. */
function linesOf(value: unknown, seen: Seen, name?: string): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => linesOf(each, seen, name));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([member, each]) => (SILENT.has(member) ? [] : linesOf(each, seen, member)));
  }
  if (isText(value)) {
    if (isKnown(value, seen)) return [];
    seen.texts.push(value);
  } else if (value === false && seen.contents.length > 0) return [];
  const [first = '', ...more] = String(value).replace(/\n$/, '').split('\n');
  if (name === undefined) return [first, ...more];
  return more.length === 0 ? [`${name}: ${first}`] : [`${name}:`, first, ...more];
}

function isKnown(text: string, { texts, contents, diffs }: Seen): boolean {
  if (text.trim() === '' || texts.includes(text) || contents.includes(text)) return true;
  const shown = text.replace(/\n$/, '');
  const sides = diffs.flatMap(sidesOf);
  if (sides.some((each) => `\n${each}\n`.includes(`\n${shown}\n`))) return true;
  return text.length >= LONG_TEXT && [...texts, ...sides].some((each) => each.includes(shown));
}

/** The lines that a diff shows of a file before and after: a text elsewhere in the file is not on the screen. */
function sidesOf(diff: string): readonly string[] {
  const lines = diff.split('\n').filter((line) => !/^(?:---|\+\+\+|@@)/.test(line));
  const without = (sign: string) => lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
  return ['+', '-'].map((sign) => without(sign).join('\n'));
}

function isPatch(text: unknown): text is string {
  return isText(text) && /^\s*(?:diff |Index: |--- )/.test(text) && /^(?:@@|--- )/m.test(text);
}

function textIn({ type, content }: Readonly<Record<string, unknown>>): string | undefined {
  return type === 'content' && isObject(content) && isText(content.text) ? content.text : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
