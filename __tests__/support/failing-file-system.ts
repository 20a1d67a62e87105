// A file system that does one thing wrong: at the Nth call that changes something it answers with an error of the
// system, or the process dies there and no call gets through any more. Counting is by call, so that a test can try
// every N until the work gets through unharmed.
import { type FileHandle, type FileSystem, type SystemErrorCode, systemError } from '../../lib/platform/index.ts';

export type Failure = SystemErrorCode | 'death';

export interface FailingFileSystem {
  readonly fileSystem: FileSystem;
  /** Whether the failure has come. */
  hasFailed(): boolean;
}

/** No error of the system: nothing in the program may take it for one. */
export class ProcessDied extends Error {
  override name = 'ProcessDied';
}

const CHANGING: readonly (keyof FileSystem | keyof FileHandle)[] = [
  ...(['open', 'rename', 'link', 'unlink', 'makeDirectory', 'removeDirectory', 'changeMode', 'syncDirectory'] as const),
  ...(['write', 'truncate', 'sync', 'dataSync'] as const),
];

export function failingFileSystem(inner: FileSystem, failure: Failure, at: number): FailingFileSystem {
  let calls = 0;
  let isDead = false;

  function before(name: string): void {
    if (isDead) throw new ProcessDied();
    if (!(CHANGING as readonly string[]).includes(name)) return;
    calls += 1;
    if (calls !== at) return;
    isDead = failure === 'death';
    throw failure === 'death' ? new ProcessDied() : systemError(failure, name);
  }

  function wrapped<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, name, receiver) {
        const member: unknown = Reflect.get(object, name, receiver);
        if (typeof member !== 'function' || typeof name !== 'string') return member;
        return (...args: unknown[]) => {
          const isAsync = name === 'sync' || name === 'dataSync' || name === 'syncDirectory';
          try {
            // The kernel closes the files of a process that died.
            if (name !== 'close') before(name);
          } catch (error) {
            if (isAsync) return Promise.reject(error);
            throw error;
          }
          const result: unknown = member.apply(object, args);
          return name === 'open' ? wrapped(result as FileHandle) : result;
        };
      },
    });
  }

  return { fileSystem: wrapped(inner), hasFailed: () => calls >= at };
}
