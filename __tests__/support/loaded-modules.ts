// Which files Node loads for a command, CommonJS packages included. Counted, not timed: the same on every machine.
import { readFileSync, rmSync } from 'node:fs';

/**
 * How many files a command may load: as many as it does, and one more. The modules that it may not load are in its
 * test.
 */
export const MOST_MODULES: readonly (readonly [args: readonly string[], atMost: number])[] = [
  [['--version'], 3],
  // `list` loads one more where the session is old enough for its row to be stored, as on a slow machine.
  [['list'], 9],
  [['list', '--all'], 22],
  [['sync'], 19],
  [['search', '--exact', 'hello'], 16],
  [['tail', 'walk'], 13],
  [['export', 'walk'], 23],
  [['export', 'walk', '--format', 'jsonl'], 19],
  [['verify', 'walk'], 14],
  [['--help'], 70],
];

/** The bytes that the REPL writes when it waits for input: they make the terminal mark pasted text. */
export const PROMPT = '\x1b[?2004h';

/**
 * For `node --import`: appends each URL that is loaded, and the moment of the first prompt, to the file OLLM_LOADED.
 */
export const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { appendFileSync } from 'node:fs';
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(process.env.OLLM_LOADED, url + '\\n');
      return next(url, context);
    },
  });
  const { write } = process.stdout;
  process.stdout.write = function (chunk, ...rest) {
    if (String(chunk).includes(${JSON.stringify(PROMPT)})) appendFileSync(process.env.OLLM_LOADED, 'prompt\\n');
    return write.call(this, chunk, ...rest);
  };
`)}`;

/** The variables that the hook needs. The compile cache keeps Node from asking the hook. */
export function hookVariables(list: string): Readonly<Record<string, string>> {
  return { OLLM_LOADED: list, NODE_DISABLE_COMPILE_CACHE: '1' };
}

/** The URLs that `run` loads, each once. */
export async function modulesDuring(list: string, run: () => Promise<unknown> | unknown): Promise<readonly string[]> {
  rmSync(list, { force: true });
  await run();
  return [...new Set(readFileSync(list, 'utf8').trim().split('\n'))];
}
