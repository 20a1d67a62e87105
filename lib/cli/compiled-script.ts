// Runs a file of the program as a script, with the compiled code of the functions that an earlier run of the same
// command called. Node's own cache has no function that is called after a module is loaded: each start would parse
// those again, a sixth of its processor time. Parts of Node are obtained at run time: an import costs more.
const {
  closeSync,
  openSync,
  readSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = process.getBuiltinModule('node:fs');

/** The checksum of the compiled code, and how many runs may still add to it. */
const HEAD_BYTES = 8;
const SECTOR_WORDS = 512 / 4;
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
  /** Where the functions begin in it that few commands call. */
  readonly middle: number;
  /** The texts around it and at its middle, which make it a function of its imports. */
  readonly added: readonly [before: string, within: string, after: string];
  /** Lines before its body. */
  readonly line: number;
  /** A hash of all of this text: compiled code is never that of an earlier build. */
  readonly digest: string;
  /** The names of all commands, with spaces in between. */
  readonly commands: string;
  /** The imports of the module. */
  readonly taken: readonly unknown[];
}

/** Each keeps the compiled code of one part. A server has more parts than Node allows listeners without a warning. */
const unkept = new Set<() => void>();
function keepAll(): void {
  for (const keep of unkept) keep();
}

/**
 * The exports of the part, without their names: an object with hundreds of them takes a millisecond. Without a
 * directory of Node's cache, nothing is kept.
 */
export function runScript(part: ScriptPart): readonly unknown[] {
  const { file, line, digest, commands, taken } = part;
  const { Script } = process.getBuiltinModule('node:vm');
  const directory = process.getBuiltinModule('node:module').getCompileCacheDir();
  const kept = directory === undefined ? undefined : `${directory}/${digest}-${commandName(commands)}`;
  const old = kept === undefined ? undefined : readKept(kept);
  const script = new Script(sourceOf(part), { filename: file, lineOffset: line - 1, cachedData: old?.data });
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
  return (script.runInThisContext() as (...values: unknown[]) => unknown[])(...taken);
}

/** The body as a function. Put together as bytes: V8 would copy strings that are joined once more. */
function sourceOf({ file, from, middle, to, added: [before, within, after] }: ScriptPart): string {
  const bytes = Buffer.allocUnsafeSlow(before.length + within.length + after.length + to - from);
  const body = openSync(file, 'r');
  try {
    let at = bytes.write(before, 'latin1');
    at = readInto(bytes.subarray(0, at + middle - from), at, { body, from });
    at += bytes.write(within, at, 'latin1');
    at = readInto(bytes.subarray(0, at + to - middle), at, { body, from: middle });
    bytes.write(after, at, 'latin1');
  } finally {
    closeSync(body);
  }
  return bytes.toString('latin1');
}

/** Fills `bytes` from `at` on. @returns where it ends */
function readInto(bytes: Buffer, at: number, { body, from }: { readonly body: number; readonly from: number }): number {
  for (let done = at; done < bytes.length; ) {
    const length = readSync(body, bytes, done, bytes.length - done, from + done - at);
    if (length === 0) throw new Error('A part of the program is shorter than it was built.');
    done += length;
  }
  return bytes.length;
}

/** Commands call different functions, and help calls few. Other words, of which any can be typed, share one name. */
function commandName(commands: string): string {
  const [, , word = '', ...others] = process.argv;
  if (others.some((each) => HELP_FLAGS.includes(each))) return 'help';
  return commands.split(' ').includes(word) ? word : 'other';
}

/**
 * V8 does not check its bytes, of which a power failure loses whole pages of the disk: a word of each sector tells.
 * A checksum of all would load `node:zlib`, 2 ms, and a longer loop would be compiled.
 */
function checksumOf(data: Uint8Array): number {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length >>> 2);
  let sum = data.length;
  for (let at = 0; at < words.length; at += SECTOR_WORDS) sum = (Math.imul(sum, 31) + words[at]!) >>> 0;
  return sum;
}

interface Kept {
  readonly data: Uint8Array;
  /** How many runs may still add to it. */
  readonly runs: number;
}

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
