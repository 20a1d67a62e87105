// A project in a temporary directory, in which real programs are run, confined or not.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemIds } from '../../lib/platform/index.ts';
import type { ProgramCall, ProgramOutcome } from '../../lib/tools/program.ts';
import { createRunProgram, type RunProgramOptions } from '../../lib/tools/run-program.ts';
import { findSandbox } from '../../lib/tools/sandbox/find-sandbox.ts';
import type { SandboxScope } from '../../lib/tools/sandboxing.ts';

export { until } from '../support/until.ts';

const found = await findSandbox();
export const sandbox = found.available ? found.sandbox : undefined;
/** Tests that need a sandbox say why they are skipped where there is none. */
export const describeConfined = found.available ? describe : describe.skip;
export const confined = found.available ? 'in the sandbox' : `in the sandbox (skipped: ${found.reason})`;

export interface World {
  /** The home directory; outside the scope. */
  readonly home: string;
  /** The project; in scope. */
  readonly project: string;
  run(argv: readonly [string, ...string[]], options?: RunOptions): Promise<Outcome>;
  /** A line for sh. */
  sh(line: string, options?: RunOptions): Promise<Outcome>;
  remove(): void;
}

export interface RunOptions
  extends Partial<ProgramCall>,
    Pick<Partial<RunProgramOptions>, 'env' | 'sandbox' | 'graceMs'> {
  readonly scope?: Partial<SandboxScope> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Outcome extends ProgramOutcome {
  readonly text: string;
}

export function programWorld(): World {
  // Not in /tmp, of which a confined program has its own.
  const root = realpathSync(mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'ollm-program-')));
  const home = join(root, 'home');
  const project = join(home, 'project');
  mkdirSync(project, { recursive: true });

  const run: World['run'] = async (argv, { scope, signal, env, sandbox: used, graceMs, ...call } = {}) => {
    const program = createRunProgram({
      env: env ?? { PATH: '/usr/bin:/bin', HOME: home },
      scope: { writable: [project], protected: [], hidden: [], network: false, ...scope },
      sandbox: used,
      limits: { timeoutMs: 20_000, maxOutputBytes: 1_000_000 },
      graceMs,
      clock: systemClock,
      ids: systemIds,
    });
    const outcome = await program({ argv, cwd: project, ...call }, { signal: signal ?? new AbortController().signal });
    return { ...outcome, text: Buffer.from(outcome.output).toString() };
  };
  return {
    home,
    project,
    run,
    sh: (line, options) => run(['sh', '-c', line], options),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** How many processes of this machine have `word` among their arguments. */
export function runningWith(word: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && argumentsOf(pid).includes(word)).length;
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** A duration for `sleep` that no other test uses, by which its processes are found. */
export function uniqueSleep(): string {
  return `1000.${systemIds.token().replace(/\D/g, '')}${process.pid}`;
}
