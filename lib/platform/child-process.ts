// The only door to other programs. One is started without a shell, from an absolute path, with an argument vector, in the
// environment and directory that are named, in a session and process group of its own. It inherits nothing: its standard
// input is closed or given, and no descriptor of this process besides 0, 1 and 2 reaches it.
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { systemErrorCode } from '../errors/index.ts';
import { openPipes, openText, type Pipe } from './pipes.ts';

export interface ProcessRequest {
  /** The first is the path of the program: see findProgram. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it reads on standard input. Default: nothing, closed. One that is talked to: lasting-process.ts. */
  readonly input?: string | undefined;
  /** `merged`: standard error comes with the output, in the order in which it was written. */
  readonly errors: 'merged' | 'apart';
  /** What an error calls it, where the program is behind another one. Default: the first of `argv`. */
  readonly name?: string | undefined;
}

export interface ProcessExit {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly killedBy: string | undefined;
}

/** A program that runs. */
export interface StartedProcess {
  /** Also the number of its process group. */
  readonly pid: number;
  readonly output: Readable;
  /** Undefined where they come with the output. */
  readonly errors: Readable | undefined;
  /** Resolves when the program itself has ended; what it started may still run, and hold its output open. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to everything in its process group. Nothing happens if nobody is left in it. */
  signalGroup(signal: NodeJS.Signals): void;
}

/** A program that could not be started. The message says which and why, as a sentence. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** Where programs are when an environment has no PATH. */
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The absolute path of a program. A name alone is looked for in the absolute entries of PATH, never in the current
 * directory, and in none of `untrusted`: a program that a project brought along must be called by its path.
 *
 * @throws StartFailure
 * @example
 * findProgram('git', { path: env.PATH, cwd: root, untrusted: [root] }); // '/usr/bin/git'
 */
export function findProgram(
  name: string,
  options: { readonly path: string | undefined; readonly cwd: string; readonly untrusted?: readonly string[] },
): string {
  if (name === '') throw new StartFailure('The name of the program to start is empty.');
  if (name.includes('\0')) throw new StartFailure('The name of the program holds a NUL character.');
  if (name.includes('/')) {
    const file = resolve(options.cwd, name);
    const problem = whyNotRunnable(file);
    if (problem) throw new StartFailure(`${file} cannot be started: ${problem}.`);
    return file;
  }
  const path = options.path || DEFAULT_PATH;
  const untrusted = (options.untrusted ?? []).map(realPathOf);
  const folders = absoluteEntries(path).filter(
    (folder) => !untrusted.some((each) => isWithin(each, realPathOf(folder))),
  );
  let nearMiss: string | undefined;
  for (const folder of folders) {
    const file = join(folder, name);
    const problem = whyNotRunnable(file);
    if (!problem) return file;
    if (problem !== MISSING) nearMiss ??= `${file} cannot be started: ${problem}.`;
  }
  throw new StartFailure(nearMiss ?? `There is no program ${name} in the directories of PATH (${path}).`);
}

/** The entries of PATH that do not depend on where one stands. */
export function absoluteEntries(path: string): string[] {
  return path.split(delimiter).filter((entry) => isAbsolute(entry));
}

/**
 * Starts a program.
 *
 * @throws StartFailure if the directory is gone, the arguments cannot be given to it, or the system refuses
 */
export async function startProcess(request: ProcessRequest): Promise<StartedProcess> {
  const { argv, cwd, errors, name = argv[0] } = request;
  if (!isAbsolute(argv[0])) throw new StartFailure(`${name} is not an absolute path of a program.`);
  if (argv.some((argument) => argument.includes('\0')))
    throw new StartFailure(`An argument of ${name} holds a NUL character, which no program can be given.`);
  const cwdProblem = whyNotDirectory(cwd);
  if (cwdProblem) throw new StartFailure(`${name} cannot be started in ${cwd}: ${cwdProblem}.`);
  try {
    const [output, apart] = await openPipes(errors === 'apart' ? 2 : 1);
    return await spawnWith(request, output!, apart);
  } catch (error) {
    throw new StartFailure(`${name} cannot be started: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The child's ends are closed here in any case, ours too if it did not come to be. */
async function spawnWith(request: ProcessRequest, output: Pipe, apart: Pipe | undefined): Promise<StartedProcess> {
  const { argv, cwd, env, input } = request;
  const ours = endsOf(output.readEnd, apart?.readEnd);
  const theirs = endsOf(output.writeEnd, apart?.writeEnd);
  try {
    const nothing = openSync('/dev/null', 'r+');
    theirs.add(nothing);
    const source = input === undefined ? nothing : openText(input);
    theirs.add(source);
    const child = spawn(argv[0], argv.slice(1), {
      cwd,
      env: { ...env },
      detached: true,
      stdio: [source, output.writeEnd, apart?.writeEnd ?? output.writeEnd, ...coveredDescriptors(nothing)],
    });
    const exited = new Promise<ProcessExit>((tell) => {
      child.once('exit', (code, signal) => tell({ exitCode: code ?? undefined, killedBy: signal ?? undefined }));
    });
    await new Promise<void>((started, fail) => {
      child.once('spawn', started);
      child.once('error', fail);
    });
    // A signal that could not be sent is no failure of the program.
    child.on('error', () => undefined);
    const pid = child.pid!;
    return {
      pid,
      output: readableOf(output.readEnd),
      errors: apart && readableOf(apart.readEnd),
      exited,
      signalGroup: (signal) => sendSignal(-pid, signal),
    };
  } catch (error) {
    for (const end of ours) closeSync(end);
    throw error;
  } finally {
    for (const end of theirs) closeSync(end);
  }
}

function endsOf(...ends: readonly (number | undefined)[]): Set<number> {
  return new Set(ends.filter((end) => end !== undefined));
}

function readableOf(descriptor: number): Readable {
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

/** Sends a signal to a process, or to a group by its negative number; whether somebody was there to get it. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** As it is written, where it leads nowhere. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

const MISSING = 'it is not there';

function whyNotRunnable(file: string): string | undefined {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) return 'it is a directory';
    if (!stat.isFile()) return 'it is no regular file';
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return MISSING;
    return code === 'EACCES' ? 'it may not be executed (see its permissions)' : reasonOf(error);
  }
}

function whyNotDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'that is no directory';
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? 'the directory is not there' : reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'E2BIG':
      return 'its arguments and environment are too long; hand long text over in a file or on standard input';
    case 'EAGAIN':
      return 'this user may start no more processes';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    case 'ENOMEM':
      return 'there is not enough memory';
    case 'ENOENT':
      return 'the program, or the interpreter that its first line names, is not there';
    case 'EACCES':
      return 'permission was denied';
    default:
      return (error as Error).message;
  }
}

/** Whether `path` is `directory` or in it. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/**
 * What to put at the descriptors from 3 on. Node marks its own to be closed in a child, and the low ones that it was
 * started with; one beyond a gap, as shells and CI runners leave them, would reach every child. It gets /dev/null there.
 */
export function coveredDescriptors(nothing: number): ('ignore' | number)[] {
  inheritable ??= inheritableDescriptors();
  const leaking = inheritable;
  return Array.from({ length: Math.max(0, (leaking.at(-1) ?? 0) - 2) }, (_, index) =>
    leaking.includes(index + 3) ? nothing : 'ignore',
  );
}

/** Looked up once: what we open ourselves never is inheritable. */
let inheritable: readonly number[] | undefined;

const CLOSE_ON_EXEC = 0o2000000;
/** A number beyond would make a long list of descriptors at each start. */
const MAX_DESCRIPTOR = 4096;

/** On Linux. Elsewhere nobody tells. */
function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && descriptor <= MAX_DESCRIPTOR && isInheritable(descriptor))
    .sort((a, b) => a - b);
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
