// Files as real sessions of Claude Code left them, with the call that wrote each line: by the file's text before each
// edit, which that program stores in its results and which ollm does not read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diffArrays } from 'diff';

/** Who wrote a line: the id of a call, or undefined where no call of the sessions did. */
export type Author = string | undefined;

export interface WrittenFile {
  /** From the root of the repository. */
  readonly name: string;
  readonly lines: readonly { readonly text: string; readonly author: Author }[];
}

interface Edit {
  readonly at: string;
  readonly callId: string;
  readonly name: string;
  /** The file's text before the edit; undefined where it was not there. */
  readonly before: string | undefined;
  readonly after: string;
  /** Where the text stood that was replaced; undefined where the whole file was. */
  readonly replaced?: { readonly from: number; readonly length: number };
}

/** The program stored no text. */
const UNKNOWN = '\0';

interface Transcript {
  readonly id: string;
  readonly text: string;
  readonly edits: readonly Edit[];
}

/** A project of several machines. */
export interface Project {
  /** Directories of it, in the sessions; those inside another one first. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
}

/**
 * Makes a repository with the files at each edit's end, and the sessions in a home of Claude Code.
 * @returns the files whose whole text is known after the last edit
 */
export function buildProject(project: Project, { home, root }: { home: string; root: string }): WrittenFile[] {
  const transcripts = withoutCopies(project.files.map((path) => transcriptOf(path, project.directories)));
  const place = join(home, '.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(place, { recursive: true });
  for (const { id, text } of transcripts) {
    const moved = project.directories.reduce((all, directory) => all.replaceAll(directory, root), text);
    writeFileSync(join(place, `${id}.jsonl`), moved);
  }
  const files = new Map<string, WrittenFile['lines']>();
  const edits = transcripts.flatMap(({ edits: all }) => all).sort((a, b) => (a.at < b.at ? -1 : 1));
  execFileSync('git', ['init', '-q'], { cwd: root });
  const commit = (name: string, at: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), textOf(files.get(name)!));
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'core.autocrlf=false'];
    execFileSync('git', ['add', '-f', name], { cwd: root });
    const env = { PATH: process.env.PATH, HOME: home, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    execFileSync('git', [...who, 'commit', '-qm', 'A step', '--allow-empty'], { cwd: root, env });
  };
  const unknown = new Set(edits.filter(({ after }) => after === UNKNOWN).map(({ name }) => name));
  for (const [index, { at, name, before, after }] of edits.entries()) {
    if (unknown.has(name)) continue;
    const known = files.get(name) ?? [];
    if (before !== undefined && before !== textOf(known)) {
      files.set(name, changed(known, before, undefined));
      commit(name, shifted(at, -3600));
    }
    files.set(name, edited(files.get(name) ?? [], edits[index]!));
    const next = edits.slice(index + 1).find((edit) => edit.name === name);
    if (next === undefined || next.before !== after) commit(name, shifted(at, 30));
  }
  return [...files].map(([name, lines]) => ({ name, lines }));
}

function transcriptOf(path: string, directories: readonly string[]): Transcript {
  const text = readFileSync(path, 'utf8');
  const edits: Edit[] = [];
  let id = '';
  for (const line of text.split('\n')) {
    const record = recordOf(line);
    id ||= record.sessionId ?? '';
    const edit = editOf(record, directories);
    if (edit) edits.push(edit);
  }
  return { id, text, edits };
}

/** Directories in which the records of a session were written. */
export function directoriesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/"cwd":"(\/[^"\\]*)"/g)].map((match) => match[1]!))];
}

/** The members of a record that count here. */
interface StoredRecord {
  readonly sessionId?: string;
  readonly timestamp?: string;
  readonly message?: { readonly content?: readonly { readonly type?: string; readonly tool_use_id?: string }[] };
  readonly toolUseResult?: {
    readonly filePath?: string;
    readonly content?: unknown;
    readonly originalFile?: unknown;
    readonly oldString?: unknown;
    readonly newString?: string;
    readonly replaceAll?: boolean;
    readonly userModified?: boolean;
  };
}

/** Such files have lines of two records, and cut ones. */
function recordOf(line: string): StoredRecord {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function editOf(record: StoredRecord, directories: readonly string[]): Edit | undefined {
  const { toolUseResult: result, timestamp: at, message } = record;
  if (typeof result !== 'object' || result === null || !Array.isArray(message?.content)) return undefined;
  const { filePath = '', newString = '' } = result;
  const directory = directories.find((one) => filePath.startsWith(`${one}/`));
  const callId = message.content.find((block) => block.type === 'tool_result')?.tool_use_id;
  if (directory === undefined || at === undefined || callId === undefined || result.userModified === true) {
    return undefined;
  }
  const name = filePath.slice(directory.length + 1);
  const before = typeof result.originalFile === 'string' ? result.originalFile : undefined;
  if (typeof result.content === 'string') return { at, callId, name, before, after: result.content };
  if (typeof result.oldString !== 'string') return undefined;
  if (before === undefined || !before.includes(result.oldString))
    return { at, callId, name, before: UNKNOWN, after: UNKNOWN };
  const after = result.replaceAll
    ? before.replaceAll(result.oldString, () => newString)
    : before.replace(result.oldString, () => newString);
  const from = before.indexOf(result.oldString);
  const replaced = result.replaceAll ? undefined : { from, length: result.oldString.length };
  return { at, callId, name, before, after, ...(replaced && { replaced }) };
}

/** Lines around the replaced ones keep their call, also where equal lines come in next to them. */
function edited(lines: WrittenFile['lines'], { before = '', after, callId, replaced }: Edit): WrittenFile['lines'] {
  if (replaced === undefined) return changed(lines, after, callId);
  const first = before.slice(0, replaced.from).split('\n').length - 1;
  const last = before.slice(replaced.from + replaced.length).split('\n').length - 1;
  const texts = after.split('\n');
  const inner = texts.slice(first, texts.length - last).join('\n');
  return [
    ...lines.slice(0, first),
    ...changed(lines.slice(first, lines.length - last), inner, callId),
    ...lines.slice(lines.length - last),
  ];
}

/** A file that another one goes on with is left out. */
function withoutCopies(transcripts: readonly Transcript[]): Transcript[] {
  const longest = transcripts.toSorted((a, b) => b.edits.length - a.edits.length || b.text.length - a.text.length);
  const seen = new Set<string>();
  return longest.filter(({ id, edits }) => {
    if (id === '' || seen.has(id) || (edits.length > 0 && edits.every(({ callId }) => seen.has(callId)))) return false;
    seen.add(id);
    for (const { callId } of edits) seen.add(callId);
    return true;
  });
}

/** Lines that stay keep their author. */
function changed(lines: WrittenFile['lines'], after: string, author: Author): WrittenFile['lines'] {
  const texts = after.split('\n');
  let from = 0;
  return diffArrays(
    lines.map(({ text }) => text),
    texts,
  ).flatMap(({ added, removed, value }) => {
    if (added) return value.map((text) => ({ text, author }));
    const kept = lines.slice(from, from + value.length);
    from += value.length;
    return removed ? [] : kept;
  });
}

function textOf(lines: WrittenFile['lines']): string {
  return lines.map(({ text }) => text).join('\n');
}

function shifted(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
