// What Tab offers: command names at the start of a line, then the possible arguments of the command. In a message it
// offers paths for words that look like one or begin with an @, and for each word of a command for the shell.
import type { App } from '../app/app.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { fitEnd } from '../display/width.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { CommandContext, ReplCommand } from './commands/command.ts';
import { completeArgument } from './commands/run.ts';
import type { FuzzyFiles } from './fuzzy-files.ts';
import type { Completer, Completion } from './input/line-editor.ts';
import { pathCandidates } from './input/path-candidates.ts';

/** The files that Tab waits for, and looks among. */
export type OfferedFiles = Pick<FuzzyFiles, 'begin' | 'settled' | 'find' | 'isComplete' | 'onMore'>;

/** How long a Tab waits for files that are new since the last walk, if a list can show them later. */
const PATIENCE_MS = 300;
const NAMED_FILE = /(?<=^|\s)@(?:"[^"]*|(?!@)[^\s"]*)$/;

/** The `@path` that is being typed at the end of a message. */
export function namedFileIn(line: string): string | undefined {
  return isCommand(line) ? undefined : NAMED_FILE.exec(line)?.[0];
}

/** `context` is asked each time, because the session may have changed. */
export function createCompleter(context: () => CommandContext | undefined, files: OfferedFiles): Completer {
  return async (line, signal) => {
    const current = context();
    if (!current) return [[], line];
    if (!isCommand(line)) {
      const timeoutMs = current.front.pick && PATIENCE_MS;
      return completePath(current.app, line, { files, wait: () => files.settled({ timeoutMs, signal }) });
    }
    if (!/\s/.test(line)) return completeCommand(current.commands, line);
    const word = lastWord(line);
    const candidates = await completeArgument({ ...current, signal }, line);
    return [candidates.filter((candidate) => isSafe(candidate) && candidate.startsWith(word)), word];
  };
}

function isCommand(line: string): boolean {
  return line.startsWith('/') && !line.startsWith('//');
}

/** Where several commands may be meant, a list says what each does. */
function completeCommand(commands: readonly ReplCommand[], line: string): Completion {
  const summaries = new Map(
    commands.flatMap(({ name, aliases = [], summary }) => [name, ...aliases].map((each) => [`/${each}`, summary])),
  );
  const startingWith = (typed: string) => [...summaries.keys()].filter((name) => name.startsWith(typed));
  const candidates = startingWith(line).map(withSpace);
  if (candidates.length < 2) return [candidates, line];
  const find = (typed: string) => {
    const words = typed.replace(/^\//, '').toLowerCase();
    const others = [...summaries].filter(([name, summary]) => `${name} ${summary}`.toLowerCase().includes(words));
    return [...new Set([...startingWith(`/${words}`), ...others.map(([name]) => name)])];
  };
  const describe = (name: string) => summaries.get(name) ?? '';
  return [candidates, line, { title: 'Which command?', typed: line, find, insert: withSpace, describe }];
}

async function completePath(
  { fileSystem, cwd }: Pick<App, 'fileSystem' | 'cwd'>,
  line: string,
  { files, wait }: { readonly files: OfferedFiles; readonly wait: () => Promise<void> },
): Promise<Completion> {
  const named = namedFileIn(line);
  if (named !== undefined) {
    const typed = typedIn(named);
    const candidates = typed === '' ? [] : namedCandidates(fileSystem, cwd, named).filter(isSafe);
    if (candidates.length === 1) return [candidates, named];
    files.begin();
    await wait();
    const found = files.find(typed);
    // The only file that is meant needs no list.
    if (candidates.length === 0 && found.length === 1 && files.isComplete) return [[namedFile(found[0]!)], named];
    const { onMore } = files;
    const find = (words: string) => files.find(words);
    return [candidates, named, { title: 'Which file?', typed, find, insert: namedFile, shorten: fitEnd, onMore }];
  }
  const word = lastWord(line);
  const isArgument = line.startsWith('!') && !line.startsWith('!!') && /\s/.test(line);
  if (!isArgument && !/^\.|\//.test(word)) return [[], word];
  return [pathCandidates(fileSystem, cwd, word).filter(isSafe), word];
}

/** The letters of a path in what begins with an @. */
export function typedIn(named: string): string {
  return named.replace(/^@"?/, '');
}

/** As it is written in a message, followed by a space. */
function namedFile(path: string): string {
  return path.includes(' ') ? `@"${path}" ` : `@${path} `;
}

/** A path with spaces is quoted. */
function namedCandidates(fileSystem: FileSystem, cwd: string, named: string): string[] {
  return pathCandidates(fileSystem, cwd, typedIn(named)).map((path) => {
    if (!named.startsWith('@"') && !path.includes(' ')) return `@${path}`;
    return path.endsWith('/') ? `@"${path}` : `@"${path}"`;
  });
}

function lastWord(text: string): string {
  return /\S*$/.exec(text)![0];
}

function withSpace(name: string): string {
  return `${name} `;
}

/** A name that would have to be changed to be shown is not offered. */
function isSafe(candidate: string): boolean {
  return sanitizeLine(candidate) === candidate;
}
