// The state of a repository in a few lines: branch, changes, the last commits. git is asked as a tool would ask it:
// hardened, and inside the sandbox, because a repository can name programs that git then runs. Without a sandbox, or if
// a call of the tool would need a question, only facts from the files of the repository are reported.
import type { App } from '../app.ts';
import { toolProgramsFor } from '../policy/tool-sandbox.ts';
import { gitReach } from '../repository/git-reach.ts';
import { gitState } from '../repository/git-state.ts';

const LIMIT_MS = 5_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const COMMITS = 5;
const MAX_COMMITS_CHARACTERS = 2000;
const COMMITS_HEADING = 'Last commits:';

interface GitContextOptions {
  /** The earlier text: its last commits are not asked for again if the commit is the same. */
  readonly before?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined outside a repository. */
export async function gitContext(app: App, options: GitContextOptions = {}): Promise<string | undefined> {
  const state = gitState(app.fileSystem, app.cwd);
  if (state === undefined) return undefined;
  const { before = '', signal } = options;
  const here = [`Repository: ${state.root}`];
  if (state.branch) here.push(`Branch: ${state.branch}`);
  if (state.commit) here.push(`Commit: ${state.commit}`);
  const ask = await reader(app, signal);
  const isKnown = `${before}\n`.startsWith(`${here.join('\n')}\n`);
  const known = isKnown ? before.slice(before.indexOf(COMMITS_HEADING)) : '';
  const log = async () => {
    if (!state.commit) return '';
    if (known.startsWith(COMMITS_HEADING)) return known;
    const lines = await ask?.(['log', `-${COMMITS}`, '--format=%h %ad %s', '--date=short']);
    return lines ? `${COMMITS_HEADING}\n${lines.trimEnd().slice(0, MAX_COMMITS_CHARACTERS).toWellFormed()}` : '';
  };
  const status = ask?.(['status', '--porcelain=v1', '--branch', '--untracked-files=normal']);
  const [changes, commits] = await Promise.all([status, log()]);
  return [...here, ...(changes === undefined ? [] : statusFacts(changes)), commits].filter(Boolean).join('\n');
}

/** Asks git; undefined comes back where it fails. Undefined where nothing would confine it. */
async function reader(
  app: App,
  stopped: AbortSignal | undefined,
): Promise<((args: readonly string[]) => Promise<string | undefined>) | undefined> {
  const programs = await toolProgramsFor(app);
  if (!programs.isConfined) return undefined;
  if (gitReach(app.fileSystem, app.cwd, { project: app.paths.project }).risk !== undefined) return undefined;
  const { gitTool } = await import('../../tools/builtin/git.ts');
  const limits = { timeoutMs: LIMIT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
  const git = gitTool({ fileSystem: app.fileSystem, ...limits });
  return async (args) => {
    try {
      const plan = await git.plan({ args }, { root: app.paths.project, cwd: app.cwd });
      const limit = AbortSignal.timeout(LIMIT_MS);
      const signal = stopped === undefined ? limit : AbortSignal.any([limit, stopped]);
      const { content, status = 'ok' } = await plan.run({
        signal,
        // It may be the first that is read of a repository: what that has git start can change nothing.
        runProgram: (call, options) => programs.run({ ...call, readsOnly: true }, options),
        onProgress: () => undefined,
      });
      return status === 'ok' ? asText(content) : undefined;
    } catch (error) {
      app.log.warn({ service: 'context', operation: 'git', error }, 'The state of the repository is not known');
      return undefined;
    }
  };
}

function asText(content: string | Uint8Array): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** From the lines of `git status --porcelain --branch`. */
export function statusFacts(status: string): string[] {
  const lines = status.split('\n');
  const ahead = /\[(.+)\]$/.exec(lines.find((line) => line.startsWith('## ')) ?? '')?.[1];
  const codes = lines.filter((line) => line !== '' && !line.startsWith('## ')).map((line) => line.slice(0, 2));
  const count = (isOne: (code: string) => boolean) => codes.filter(isOne).length;
  const isConflict = (code: string) => code.includes('U') || code === 'AA' || code === 'DD';
  const untracked = count((code) => code === '??');
  const conflicts = count(isConflict);
  const staged = count((code) => code !== '??' && !isConflict(code) && code[0] !== ' ');
  const changed = count((code) => code !== '??' && !isConflict(code) && code[1] !== ' ');
  const parts = [
    [staged, 'staged'],
    [changed, 'changed and not staged'],
    [untracked, 'untracked'],
    [conflicts, 'in conflict'],
  ] as const;
  const shown = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return [...(ahead ? [`Against its upstream: ${ahead}`] : []), `Files: ${shown.join(', ') || 'nothing changed'}`];
}
