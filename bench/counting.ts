// What is counted of work that is under way: texts that are parsed, characters whose tokens are counted, bytes that are written.
import type { FileHandle, FileSystem } from '../lib/platform/index.ts';
import type { TokenCounter } from '../lib/tokens/counter.ts';

/** Texts that `work` parses as JSON. */
export function parsesDuring(work: () => unknown): number {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (text: string, ...rest: [((key: string, value: unknown) => unknown)?]) => {
    count += 1;
    return parse(text, ...rest) as unknown;
  };
  try {
    work();
    return count;
  } finally {
    JSON.parse = parse;
  }
}

export interface CountingCounter extends TokenCounter {
  /** All that it was given, since it was made. */
  readonly texts: readonly string[];
}

/** Counts as `inner` does, and remembers what it counted. */
export function countingCounter(inner: TokenCounter): CountingCounter {
  const texts: string[] = [];
  return {
    texts,
    count(text) {
      texts.push(text);
      return inner.count(text);
    },
  };
}

/** Writes as `inner` does, and says how many bytes each time. */
export function watchedFileSystem(inner: FileSystem, onWrite: (bytes: number) => void): FileSystem {
  const watched = (handle: FileHandle): FileHandle =>
    new Proxy(handle, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'write') return typeof member === 'function' ? member.bind(target) : member;
        return (...parameters: Parameters<FileHandle['write']>) => {
          const bytes = target.write(...parameters);
          onWrite(bytes);
          return bytes;
        };
      },
    });
  return { ...inner, open: (path, mode, permissions) => watched(inner.open(path, mode, permissions)) };
}
