// A file system whose calls can be counted and made to fail, one by one: "the second write takes 7 bytes", "every sync
// from now on answers EIO". All other calls go through to the given file system.
import { type FileHandle, type FileSystem, type SystemErrorCode, systemError } from '../../lib/platform/index.ts';

export type FaultyCall =
  | 'write'
  | 'read'
  | 'truncate'
  | 'sync'
  | 'dataSync'
  | 'stat'
  | 'open'
  | 'syncDirectory'
  | 'rename';

export interface Fault {
  readonly call: FaultyCall;
  /** The calls to let through first. Default: none. */
  readonly skip?: number;
  /** How often it fails. Default: once. */
  readonly times?: number;
  /** The error that it answers; or the number of bytes that a write takes. */
  readonly answer: SystemErrorCode | number;
}

export interface FaultyFileSystem extends FileSystem {
  /** How often each call came, over all handles. */
  readonly calls: Record<FaultyCall, number>;
  fail(fault: Fault): void;
  /** Nothing fails any more. */
  mend(): void;
  /** Called before each call goes through. */
  before: ((call: FaultyCall) => void) | undefined;
  /** Holds back syncs until the promise is there. */
  syncGate: Promise<void> | undefined;
}

export function faultyFileSystem(inner: FileSystem): FaultyFileSystem {
  const calls = { write: 0, read: 0, truncate: 0, sync: 0, dataSync: 0, stat: 0, open: 0, syncDirectory: 0, rename: 0 };
  const faults: { call: FaultyCall; skip: number; times: number; answer: SystemErrorCode | number }[] = [];

  /** Counts the call; throws if it is to fail; answers how many bytes to take if it is to be short. */
  function come(call: FaultyCall): number | undefined {
    calls[call] += 1;
    faulty.before?.(call);
    const fault = faults.find((fault) => fault.call === call && fault.times > 0);
    if (!fault) return undefined;
    if (fault.skip > 0) {
      fault.skip -= 1;
      return undefined;
    }
    fault.times -= 1;
    if (typeof fault.answer === 'number') return fault.answer;
    throw systemError(fault.answer, call);
  }

  function faultyHandle(handle: FileHandle): FileHandle {
    return {
      path: handle.path,
      write(bytes) {
        const taken = come('write');
        return taken === undefined ? handle.write(bytes) : handle.write(bytes.subarray(0, taken));
      },
      read(target, position) {
        come('read');
        return handle.read(target, position);
      },
      stat: () => handle.stat(),
      truncate(length) {
        come('truncate');
        handle.truncate(length);
      },
      async sync() {
        await faulty.syncGate;
        come('sync');
        await handle.sync();
      },
      async dataSync() {
        await faulty.syncGate;
        come('dataSync');
        await handle.dataSync();
      },
      tryLock: (mode) => handle.tryLock(mode),
      close: () => handle.close(),
      [Symbol.dispose]: () => handle.close(),
    };
  }

  const faulty: FaultyFileSystem = {
    ...inner,
    calls,
    before: undefined,
    syncGate: undefined,
    fail: ({ call, skip = 0, times = 1, answer }) => void faults.push({ call, skip, times, answer }),
    mend: () => void faults.splice(0),
    open(path, mode, permissions) {
      come('open');
      return faultyHandle(inner.open(path, mode, permissions));
    },
    stat(path) {
      come('stat');
      return inner.stat(path);
    },
    rename(from, to) {
      come('rename');
      inner.rename(from, to);
    },
    async syncDirectory(path) {
      come('syncDirectory');
      await inner.syncDirectory(path);
    },
  };
  return faulty;
}
