// Runs a file of the program as a script, with the compiled code of the functions that an earlier run of the same
// command called. Node's own cache has no function that is called after a module is loaded: each start would parse
// those again, a sixth of its processor time. Parts of Node are obtained at run time: an import costs more.
const { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } =
  process.getBuiltinModule('node:fs');

/** The checksum of the compiled code, and how many runs may still add to it. */
const HEAD_BYTES = 8;
/** The functions of a run that finds nothing are not those of one that finds something: the next runs add theirs. */
const ADDING_RUNS = 8;
/** Fewer new bytes are not worth a write. */
const LEAST_ADDED = 1_024;
/** By then, what a long run calls at its start was called. */
const START_MS = 2_000;
/** Older compiled code is that of an earlier build, or is made again at the next start. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const HELP_FLAGS = ['-h', '--help'];
const NAME_OF_KEPT = /^[0-9a-f]{16}-[a-z]{1,16}(?:\.\d+)?$/;

/** A part of the program: a module, of which the body is run as a script. */
interface ScriptPart {
  readonly file: string;
  /** Where its body begins and ends: before it are its imports, after it are its exports. */
  readonly from: number;
  readonly to: number;
  /** Lines before its body. */
  readonly line: number;
  /** A hash of its text: compiled code is never that of an earlier build. */
  readonly digest: string;
  /** The names of all commands, with spaces in between. */
  readonly commands: string;
  /** The imports of the module. */
  readonly taken: Readonly<Record<string, unknown>>;
  /** The names of its exports, as the braces of an object have them. */
  readonly members: string;
}

/** Each keeps the compiled code of one part. A server has more parts than Node allows listeners without a warning. */
const unkept = new Set<() => void>();
function keepAll(): void {
  for (const keep of unkept) keep();
}

/** The exports of the part. Without a directory of Node's cache, nothing is kept. */
export function runScript({ file, from, to, line, digest, commands, taken, members }: ScriptPart): object {
  const { Script } = process.getBuiltinModule('node:vm');
  const directory = process.getBuiltinModule('node:module').getCompileCacheDir();
  const kept = directory === undefined ? undefined : `${directory}/${digest}-${commandName(commands)}`;
  const old = kept === undefined ? undefined : readKept(kept);
  const body = readFileSync(file).toString('latin1', from, to);
  const source = `"use strict"; (function ({ ${Object.keys(taken).join()} }) {\n${body}return { ${members} };\n})`;
  const script = new Script(source, { filename: file, lineOffset: line - 1, cachedData: old?.data });
  const used = script.cachedDataRejected === false ? old : undefined;
  if (kept !== undefined && used?.runs !== 0) {
    const keep = () => {
      clearTimeout(timer);
      unkept.delete(keep);
      if (unkept.size === 0) process.off('exit', keepAll);
      const data = script.createCachedData();
      if (used === undefined) writeKept(kept, { data, runs: ADDING_RUNS });
      else if (data.length >= used.data.length + LEAST_ADDED) writeKept(kept, { data, runs: used.runs - 1 });
      else countRun(kept, used.runs - 1);
    };
    const timer = setTimeout(keep, START_MS);
    timer.unref();
    if (unkept.size === 0) process.on('exit', keepAll);
    unkept.add(keep);
  }
  return (script.runInThisContext() as (names: ScriptPart['taken']) => object)(taken);
}

/** Commands call different functions, and help calls few. Other words, of which any can be typed, share one name. */
function commandName(commands: string): string {
  const [, , word = '', ...others] = process.argv;
  if (others.some((each) => HELP_FLAGS.includes(each))) return 'help';
  return commands.split(' ').includes(word) ? word : 'other';
}

function checksumOf(data: Uint8Array): number {
  return process.getBuiltinModule('node:zlib').crc32(data);
}

interface Kept {
  readonly data: Uint8Array;
  /** How many runs may still add to it. */
  readonly runs: number;
}

/** V8 does not check its bytes, which a power failure may have changed. */
function readKept(path: string): Kept | undefined {
  try {
    const bytes = readFileSync(path);
    const data = bytes.subarray(HEAD_BYTES);
    const runs = Math.min(bytes.readUInt32LE(4), ADDING_RUNS);
    return bytes.readUInt32LE(0) === checksumOf(data) ? { data, runs } : undefined;
  } catch {
    return undefined;
  }
}

/** Where something cannot be written or removed, the next run starts a little later. */
function writeKept(path: string, { data, runs }: Kept): void {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(checksumOf(data));
  head.writeUInt32LE(runs, 4);
  const own = `${path}.${process.pid}`;
  try {
    try {
      writeFileSync(own, Buffer.concat([head, data]), { mode: 0o600 });
      renameSync(own, path);
    } finally {
      rmSync(own, { force: true });
    }
    removeOld(path.slice(0, path.lastIndexOf('/')));
  } catch {}
}

function countRun(path: string, runs: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(runs);
  try {
    const file = openSync(path, 'r+');
    try {
      writeSync(file, bytes, 0, bytes.length, 4);
    } finally {
      closeSync(file);
    }
  } catch {}
}

/** Each build has its own names, and nothing else removes those of earlier builds. */
function removeOld(directory: string): void {
  const since = Date.now() - KEPT_MS;
  for (const name of readdirSync(directory)) {
    const path = `${directory}/${name}`;
    if (NAME_OF_KEPT.test(name) && statSync(path).mtimeMs < since) rmSync(path, { force: true });
  }
}
