// Runs one program for a tool, a hook or a server: confined where there is a sandbox, in the environment made for
// tools, within limits of time and output. When it ends, for whatever reason, all that it started ends too; a program
// that was asked to end and does not is killed. Output is kept as far as it fits; the rest is counted and dropped.
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { PROGRAM_DEFAULTS, READING_DEFAULTS } from '../environment/program-defaults.ts';
import type { Clock } from '../platform/clock.ts';
import { relativeInside } from '../platform/files/inside.ts';
import { realPathOf } from '../platform/files/io.ts';
import { nodeFileSystem } from '../platform/files/node-file-system.ts';
import type { Ids } from '../platform/ids.ts';
import { type StartedProcess, startProcess } from '../platform/processes/child-process.ts';
import { absoluteEntries, DEFAULT_PATH, findProgram } from '../platform/processes/find-program.ts';
import { untilClosed } from '../platform/processes/pipes.ts';
import { type ProcessExit, sendSignal } from '../platform/processes/process-group.ts';
import { processesMarked } from '../platform/processes/process-tree.ts';
import { StartFailure } from '../platform/processes/start-failure.ts';
import { waitFor } from '../platform/waiting.ts';
import { createOutputBuffer, type OutputBuffer } from './output-buffer.ts';
import type { ProgramCall, ProgramOutcome, RunProgram } from './program.ts';
import { lookAt } from './sandbox/look.ts';
import { toolchainPlaces } from './sandbox/toolchain.ts';
import type { ClosedPaths, ConfinedCommand, GivenFile, Sandbox, SandboxScope } from './sandboxing.ts';
import { ToolFailure } from './tool.ts';

export interface RunProgramOptions {
  /** The environment made for tools, without the variables that they must not see. */
  readonly env: Readonly<Record<string, string>>;
  readonly scope: SandboxScope;
  /** Further hidden places, found again for each confined program. */
  readonly closedInside?: (() => Promise<ClosedPaths>) | undefined;
  /** Places and variables that a reading program has in addition to the toolchain and its scope. */
  readonly forReaders?: ((cwd: string, surroundings: { readonly path: string }) => ReaderView) | undefined;
  /** Additions for a program that may write, by the paths of the files that it does not see. */
  readonly forWriters?: ((cwd: string, hidden: readonly string[]) => WriterView) | undefined;
  /** Absent: programs are not confined. */
  readonly sandbox?: Sandbox | undefined;
  /** For calls that name none of their own. */
  readonly limits: ProgramLimits;
  /** How long a program may tidy up after it was asked to end. Default: 300. */
  readonly graceMs?: number | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface ReaderView {
  readonly visible: readonly string[];
  readonly given: readonly GivenFile[];
}

/** Additions to the scope of a program that may write. */
export type WriterView = Pick<SandboxScope, 'given' | 'blank'>;

interface ProgramLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** How long output is waited for that a process still holds open after every process that could be found was killed. */
const LAST_OUTPUT_MS = 300;
/** The wait for the rest of the output with a guard: the kernel kills its holder, which may take a while. */
const GUARDED_OUTPUT_MS = 5_000;
/** A process may be born while the others are counted. Each round kills all that were there when it began. */
const MAX_SWEEPS = 50;
/** Looks for a program in the PATH that it has itself. */
const ENV_PROGRAM = '/usr/bin/env';
/** By this variable what a program started is found, wherever it went. */
const MARK_VARIABLE = 'OLLM_PROGRAM';

/**
 * @example
 * const run = createRunProgram({ env, scope, sandbox, limits: { timeoutMs: 120_000, maxOutputBytes: 1 << 24 }, clock,
 * ids }); const { exitCode, output } = await run({ argv: ['git', 'status'], cwd: root }, { signal });
 */
export function createRunProgram(options: RunProgramOptions): RunProgram {
  const { scope, sandbox, closedInside, limits, graceMs = 300, clock, ids } = options;
  const path = absoluteEntries(options.env.PATH ?? '').join(':') || DEFAULT_PATH;
  // What a project brings along is not found by its name; where the home directory is the project, it is the user's
  // own.
  const { HOME: home = '/' } = options.env;
  const untrusted = scope.writable.filter((root) => relativeInside(root, home) === undefined);

  // What reads unasked finds no program that the project brings along, in a line for a shell either.
  const readerPath = path.split(':').filter((entry) => !untrusted.some((root) => isIn(root, entry)));
  const viewOfReader = (program: string, cwd: string): ReaderView => {
    const look = lookAt(nodeFileSystem);
    const programs = [dirname(program), dirname(look.real(program) ?? program)];
    const places = { platform: process.platform, path: [...readerPath, ...programs], home, look };
    const { visible, given } = options.forReaders?.(cwd, { path: readerPath.join(':') }) ?? { visible: [], given: [] };
    return { visible: [...toolchainPlaces(places), ...visible], given };
  };

  return async (call, { signal }) => {
    const startedAt = clock.monotonic();
    const { cwd, timeoutMs = limits.timeoutMs, maxOutputBytes = limits.maxOutputBytes } = call;
    const output = createOutputBuffer(maxOutputBytes);
    const errors = call.errorsApart ? createOutputBuffer(maxOutputBytes) : output;
    const outcome = (status: ProgramOutcome['status'], exit?: ProcessExit): ProgramOutcome => ({
      status,
      exitCode: exit?.exitCode,
      killedBy: exit?.killedBy,
      output: output.bytes(),
      ...(call.errorsApart && { errors: errors.bytes() }),
      omittedBytes: output.omittedBytes + (call.errorsApart ? errors.omittedBytes : 0),
      durationMs: clock.monotonic() - startedAt,
    });
    const closed = sandbox && (await closedInside?.());
    if (signal.aborted) return outcome('cancelled');

    const mark = ids.token();
    const own = { PATH: call.readsOnly ? readerPath.join(':') : path, PWD: cwd, [MARK_VARIABLE]: mark };
    const env = { ...(call.readsOnly ? environmentOfReader(options.env) : options.env), ...own };
    const { confined, child } = await asToolFailure(async () => {
      const [name, ...args] = call.argv;
      const program = findProgram(name, { path, cwd, untrusted });
      const view = call.readsOnly && sandbox ? viewOfReader(program, cwd) : undefined;
      const argv =
        view && isGiven(name, view) ? ([ENV_PROGRAM, name, ...args] as const) : ([program, ...args] as const);
      const inside = scopeOf(scope, closed, view);
      const added = view === undefined ? options.forWriters?.(cwd, inside.hidden) : undefined;
      const confined: ConfinedCommand = sandbox?.confine(argv, { ...inside, ...added }, cwd) ?? { argv };
      try {
        const streams = { input: call.input, errors: call.errorsApart ? 'apart' : 'merged' } as const;
        const { argv, inherited } = confined;
        return { confined, child: await startProcess({ argv, inherited, cwd, env, ...streams, name: program }) };
      } catch (error) {
        confined.end?.();
        throw error;
      }
    });

    try {
      const tree = { child, mark: `${MARK_VARIABLE}=${mark}`, isGuarded: confined.guardsTree ?? false };
      const overflow = new Promise<'too-much-output'>((tell) => {
        collect(child.output, output, call.onOutput, () => tell('too-much-output'));
        if (child.errors) collect(child.errors, errors, undefined, () => tell('too-much-output'));
      });

      const status = await firstOf(child, overflow, timeoutMs, signal);
      if (status !== 'exited') await askToEnd(tree, graceMs);
      await killRemains(tree);
      const exit = await child.exited;
      await lastOutput(tree);
      return outcome(status, exit);
    } finally {
      confined.end?.();
    }
  };
}

function scopeOf(scope: SandboxScope, closed: ClosedPaths | undefined, view: ReaderView | undefined): SandboxScope {
  const { writable, readable = [] } = scope;
  const opened = [...readable, ...writable];
  return {
    ...scope,
    protected: [...scope.protected, ...(closed?.protected ?? [])],
    hidden: [...scope.hidden, ...(closed?.hidden ?? [])],
    ...(view && { ...view, writable: [], readable: opened, network: false }),
    // Where the user opened the whole disk, nothing of it is outside.
    ...(opened.includes('/') && { visible: undefined }),
  };
}

/** Looked up by name inside the sandbox, where given programs come before those of the system. */
function isGiven(name: string, { given }: ReaderView): boolean {
  return given.some((file) => file.isProgram === true && file.name === name);
}

/** Whether a path is inside `root`, by any of its names; a missing path is not. */
function isIn(root: string, path: string): boolean {
  const real = (each: string) => realPathOf(nodeFileSystem, each) ?? each;
  return relativeInside(real(root), real(path)) !== undefined;
}

/** Without variables by which git would take another repository, other settings or programs. */
function environmentOfReader(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name in PROGRAM_DEFAULTS);
  return { ...Object.fromEntries(kept), ...READING_DEFAULTS };
}

interface Tree {
  readonly child: StartedProcess;
  readonly mark: string;
  /** Whether `child` is a guard that runs the program: when it ends, everything inside ends. */
  readonly isGuarded: boolean;
}

function collect(
  stream: StartedProcess['output'],
  buffer: OutputBuffer,
  onOutput: ProgramCall['onOutput'],
  onOverflow: () => void,
): void {
  stream.on('data', (chunk: Uint8Array) => {
    const before = buffer.omittedBytes;
    const isWhole = buffer.add(chunk);
    const kept = chunk.length - (buffer.omittedBytes - before);
    if (kept > 0) onOutput?.(chunk.subarray(0, kept));
    if (!isWhole) onOverflow();
  });
  stream.on('error', () => undefined);
}

/** Whichever comes first: exit, too much output, timeout, or abort. */
async function firstOf(
  child: StartedProcess,
  overflow: Promise<'too-much-output'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProgramOutcome['status']> {
  const exited = child.exited.then(() => 'exited' as const);
  const waited = await waitFor(Promise.race([overflow, exited]), { signal, timeoutMs });
  if (waited.kind === 'done') return waited.value;
  return waited.kind === 'aborted' ? 'cancelled' : 'timeout';
}

/** TERM for all of it, and a while to obey. The guard is spared: it would take the others with it immediately. */
async function askToEnd({ child, mark, isGuarded }: Tree, graceMs: number): Promise<void> {
  if (!isGuarded) child.signalGroup('SIGTERM');
  for (const pid of processesMarked(mark)) if (!isGuarded || pid !== child.pid) sendSignal(pid, 'SIGTERM');
  await waitFor(child.exited, { timeoutMs: graceMs });
}

/** KILL for all that are left. With a guard the kernel does it: its processes have a number space that ends with it. */
async function killRemains({ child, mark, isGuarded }: Tree): Promise<void> {
  child.signalGroup('SIGKILL');
  if (isGuarded) return;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const left = processesMarked(mark).filter((pid) => sendSignal(pid, 'SIGKILL'));
    if (left.length === 0) return;
    await breathe();
  }
}

async function lastOutput({ child: { output, errors }, isGuarded }: Tree): Promise<void> {
  const streams = errors ? [output, errors] : [output];
  await waitFor(untilClosed(streams), { timeoutMs: isGuarded ? GUARDED_OUTPUT_MS : LAST_OUTPUT_MS });
  // On a busy machine the time may be over before the available output is read. A further round of the loop reads it.
  await breathe();
  for (const stream of streams) stream.destroy();
}

async function asToolFailure<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StartFailure) throw new ToolFailure(error.message, { cause: error });
    throw error;
  }
}
