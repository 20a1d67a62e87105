// Starts the process of session-child.ts: as one file that loads in a tenth of a second, under any program that is to
// trace or limit it, and gathers its output.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Statement } from './ledger.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PATIENCE_MS = 300_000;

export interface Child {
  readonly process: ChildProcess;
  readonly said: readonly Statement[];
  readonly errors: () => string;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Waits until something it said is like this; rejects when it has ended without. */
  hears(isIt: (statement: Statement) => boolean): Promise<Statement>;
  /** Writes one command to an obeying child and waits for the answer. */
  command(line: string): Promise<Statement>;
  kill(): Promise<void>;
}

export interface StartOptions {
  /** The program and arguments to stand before node. */
  readonly under?: readonly string[];
  readonly uid?: number;
}

export interface Workshop extends Disposable {
  readonly directory: string;
  start(args: readonly string[], options?: StartOptions): Child;
  /** A directory of its own, a copy of another one if one is given. */
  fresh(template?: string): string;
}

/** Makes the program once, and a place for the directories of the cases; both are gone afterwards. */
export function openWorkshop(): Workshop {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-lab-'));
  const program = join(directory, 'session-child.mjs');
  const { status, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/esbuild'),
    [
      join(import.meta.dirname, 'session-child.ts'),
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--outfile=${program}`,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The program of the lab could not be built: ${stderr}`);
  const children = new Set<ChildProcess>();
  let places = 0;
  return {
    directory,
    start(args, { under = [], uid } = {}) {
      const [command = '', ...rest] = [...under, process.execPath, program, ...args];
      const child = spawn(command, rest, {
        // A thread for the waits for the device: the counters of strace are per thread.
        env: { PATH: process.env.PATH, NODE_PATH: join(ROOT, 'node_modules'), UV_THREADPOOL_SIZE: '1' },
        stdio: 'pipe',
        ...(uid === undefined ? {} : { uid }),
      });
      children.add(child);
      child.on('close', () => children.delete(child));
      return listen(child);
    },
    fresh(template) {
      places += 1;
      const place = join(directory, `place-${places}`);
      if (template) cpSync(template, place, { recursive: true });
      return place;
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function listen(child: ChildProcess): Child {
  const said: Statement[] = [];
  const watchers = new Set<() => void>();
  let unfinished = '';
  let errors = '';
  let hasEnded = false;
  let heard = 0;
  const tellAll = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as Statement));
    tellAll();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdin?.on('error', () => {});
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      hasEnded = true;
      resolve({ code, signal });
      tellAll();
    });
  });

  function hears(isIt: (statement: Statement) => boolean): Promise<Statement> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        watchers.delete(look);
        settle();
      };
      const look = () => {
        for (; heard < said.length; heard += 1) {
          const statement = said[heard]!;
          if (!isIt(statement)) continue;
          heard += 1;
          return finish(() => resolve(statement));
        }
        if (hasEnded) finish(() => reject(new Error(`The child ended: ${errors}`)));
      };
      const timer = setTimeout(() => finish(() => reject(new Error(`The child said nothing: ${errors}`))), PATIENCE_MS);
      watchers.add(look);
      look();
    });
  }

  return {
    process: child,
    said,
    errors: () => errors,
    ended,
    hears,
    command(line) {
      child.stdin?.write(`${line}\n`);
      return hears((statement) => !('doing' in statement) && !('did' in statement && statement.did === 'start'));
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
