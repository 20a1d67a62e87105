// Functions that every start of the built program runs are compiled together with the file that they stand in. What Node
// keeps of a file in compiled form was compiled before anything of it ran, so that V8 would parse and compile each of these
// functions anew in every process. It compiles a function at once where it stands in parentheses; and which they are is seen
// by running the program, as it is built, in a home of its own.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where a function begins and ends in its file. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const MESSAGE = JSON.stringify({
  type: 'message.added',
  data: {
    role: 'user',
    parts: [{ type: 'text', text: 'hello' }],
    tokens: { count: 1, method: 'estimated' },
    trusted: true,
  },
});

/** What is waited for, in a home with some sessions and an index to print a list from. */
const STARTS: readonly Pick<Start, 'args' | 'isTerminal'>[] = [
  { args: ['list', '--limit', '4'] },
  { args: ['list', '--limit', '4'], isTerminal: true },
  { args: ['repl', '--new', '--provider', 'offline'] },
];
/** For fewer no index is made. */
const SESSIONS = 16;

const LIMIT_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Rewrites the files in `outdir` that a start loads; `outdir` holds a `main.js`. Fails if the program does not start. */
export function compileStartFunctions(outdir: string): void {
  const home = mkdtempSync(join(tmpdir(), 'ollm-build-'));
  try {
    const ranges = new Map<string, Range[]>();
    start(outdir, home, { args: ['append', '0', '--create'], input: MESSAGE });
    const sessions = join(home, 'session-data');
    for (let id = 1; id < SESSIONS; id++) copyFileSync(join(sessions, '0.jsonl'), join(sessions, `${id}.jsonl`));
    start(outdir, home, { args: ['list'], hoursLater: 1 });
    for (const [number, each] of STARTS.entries()) {
      const coverage = join(home, `coverage-${number}`);
      start(outdir, home, { ...each, hoursLater: 2, coverage });
      for (const [file, ran] of rangesIn(coverage)) ranges.set(file, [...(ranges.get(file) ?? []), ...ran]);
    }
    const ours = realpathSync(outdir) + sep;
    for (const [file, ran] of ranges) {
      if (!file.startsWith(ours)) continue;
      // Whoever starts the program meanwhile gets a whole file, the one or the other.
      writeFileSync(`${file}.new`, withFunctionsFirst(readFileSync(file, 'utf8'), ran));
      renameSync(`${file}.new`, file);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface Start {
  readonly args: readonly string[];
  readonly input?: string;
  /** What it prints is laid out for one. */
  readonly isTerminal?: boolean;
  /** What changed a moment ago is not remembered by a list. */
  readonly hoursLater?: number;
  /** Where V8 writes what ran. */
  readonly coverage?: string;
}

function start(
  outdir: string,
  home: string,
  { args, input = '', isTerminal = false, hoursLater = 0, coverage }: Start,
): void {
  const script = `const { now } = Date;
    Date.now = () => now() + ${hoursLater * HOUR_MS};
    if (${isTerminal}) process.stdout.isTTY = true;
    const { main } = await import(${JSON.stringify(pathToFileURL(join(outdir, 'main.js')).href)});
    await main(${JSON.stringify(args)});`;
  const cwd = join(home, 'empty');
  mkdirSync(cwd, { recursive: true });
  const { status, stdout, stderr, error } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd,
    env: {
      ...(process.env.PATH === undefined ? {} : { PATH: process.env.PATH }),
      HOME: home,
      OLLM_HOME: home,
      NODE_DISABLE_COMPILE_CACHE: '1',
      ...(coverage === undefined ? {} : { NODE_V8_COVERAGE: coverage }),
    },
    input,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (status === 0) return;
  throw new Error(`What was built does not start: ollm ${args.join(' ')}: ${error?.message ?? stderr + stdout}`);
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** By file, what ran of it. */
function rangesIn(directory: string): ReadonlyMap<string, readonly Range[]> {
  const files = new Map<string, readonly Range[]>();
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const ran = functions.flatMap(({ ranges: [whole] }) =>
        whole && whole.count > 0 ? [{ start: whole.startOffset, end: whole.endOffset }] : [],
      );
      files.set(fileURLToPath(url), ran);
    }
  }
  return files;
}

const DECLARATION = /^(?:async )?function\*? ?([\w$]+)\(/;
/** What stands above each piece of a file: the module that it was. */
const MODULE = /^\/\/ \S+$/gm;

/**
 * The text of a module with those of its functions that are declared at its top level, and that are among `ran`, in
 * parentheses and before all else: declarations hold from the beginning too. Each still stands under the name of its module.
 *
 * @example withFunctionsFirst('f();\nfunction f() {}\n', [{ start: 5, end: 20 }]); // 'var f = (function f() {});\nf();\n\n'
 */
export function withFunctionsFirst(text: string, ran: readonly Range[]): string {
  const ends = new Map(ran.filter((range) => isAlone(text, range)).map(({ start, end }) => [start, end]));
  const starts = [...ends.keys()].sort((a, b) => a - b);
  const modules = [...text.matchAll(MODULE)];
  let first = '';
  let rest = '';
  let module = '';
  let at = 0;
  for (const start of starts) {
    const end = ends.get(start)!;
    const declaration = text.slice(start, end);
    const [, name] = DECLARATION.exec(declaration) ?? [];
    if (name === undefined) continue;
    const its = modules.findLast(({ index }) => index < start)?.[0] ?? '';
    first += `${its === module ? '' : `${its}\n`}var ${name} = (${declaration});\n`;
    module = its;
    rest += text.slice(at, start);
    at = end;
  }
  return first + rest + text.slice(at);
}

/** On lines of its own, as everything at the top level is. */
function isAlone(text: string, { start, end }: Range): boolean {
  return (start === 0 || text[start - 1] === '\n') && text[end - 1] === '}' && text[end] === '\n';
}
