// A file system that counts its calls by their name, and the bytes that were read and written.
import type { FileHandle, FileSystem } from '../../lib/platform/index.ts';

export interface Asked {
  /** Calls of the port and of its handles. */
  readonly calls: Record<string, number>;
  readBytes: number;
  writtenBytes: number;
}

export interface CountingFileSystem {
  readonly fileSystem: FileSystem;
  /** What `work` asks for. */
  during(work: () => Promise<unknown> | unknown): Promise<Asked>;
}

export function countingFileSystem(inner: FileSystem): CountingFileSystem {
  let asked: Asked = nothing();

  function counted<Port extends object>(port: Port, wrap: (name: string, result: unknown) => unknown): Port {
    return new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || typeof name !== 'string') return member;
        return (...parameters: unknown[]) => {
          asked.calls[name] = (asked.calls[name] ?? 0) + 1;
          return wrap(name, member.apply(target, parameters));
        };
      },
    });
  }

  const countedHandle = (handle: FileHandle) =>
    counted(handle, (name, result) => {
      if (name === 'read') asked.readBytes += result as number;
      if (name === 'write') asked.writtenBytes += result as number;
      return result;
    });

  return {
    fileSystem: counted(inner, (name, result) => (name === 'open' ? countedHandle(result as FileHandle) : result)),
    async during(work) {
      asked = nothing();
      await work();
      return asked;
    },
  };
}

function nothing(): Asked {
  return { calls: {}, readBytes: 0, writtenBytes: 0 };
}
