// The command line in the process of the test, which spares the start of a process: for its answers, not for the way a
// process begins, ends or is built. `process` is that of the run for all code of the run: later calls are recognized by
// their asynchronous context. Signals, a real file as standard output and a kill need `createHome`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { run } from '../../lib/cli/run.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

interface Run extends Surroundings {
  /** What `process.exit` was called with: the run is over, the process is not. */
  readonly exit: (code: number) => void;
}

const STREAMS = ['stdin', 'stdout', 'stderr', 'env'] as const;
const LISTENED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException'] as const;

const running = new AsyncLocalStorage<Run>();
/** Runs that are not over; while there is one, `process` asks whose it is. */
let count = 0;
let restore = () => {};

/** Runs `ollm` with these arguments, and answers with its exit code. */
export async function runHere(args: readonly string[], surroundings: Surroundings): Promise<number> {
  if (count === 0) restore = takeProcess();
  count += 1;
  try {
    return await new Promise<number>((resolve, reject) => {
      running.run({ ...surroundings, exit: resolve }, () => run(args).then(resolve, reject));
    });
  } finally {
    count -= 1;
    if (count === 0) restore();
  }
}

function takeProcess(): () => void {
  const listeners = LISTENED.map((name) => [name, process.listeners(name as 'SIGINT')] as const);
  const { exit, cwd } = process;
  const before = STREAMS.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  for (const [name, own] of before) {
    const get = () => running.getStore()?.[name] ?? (own.get === undefined ? own.value : own.get.call(process));
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
  process.cwd = () => running.getStore()?.cwd ?? cwd();
  process.exit = ((code: number) => {
    const current = running.getStore();
    return current ? current.exit(code) : exit(code);
  }) as typeof exit;
  return () => {
    for (const [name, own] of before) Object.defineProperty(process, name, own);
    Object.assign(process, { exit, cwd });
    for (const [name, known] of listeners) {
      for (const each of process.listeners(name as 'SIGINT')) if (!known.includes(each)) process.off(name, each);
    }
  };
}

/** A stream that hands over the text that is written to it. */
export function textSink(onText: (text: string) => void): NodeJS.WriteStream {
  const decoder = new StringDecoder('utf8');
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      onText(decoder.write(chunk));
      done();
    },
  });
  return sink as unknown as NodeJS.WriteStream;
}

/** Standard input: the text typed or piped comes by `write` and `end`. */
export function inputStream(): PassThrough & NodeJS.ReadStream {
  return new PassThrough() as unknown as PassThrough & NodeJS.ReadStream;
}
