import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import { type FileHandle, type FileSystem, type SystemErrorCode, systemError } from '../../lib/platform/index.ts';
import { openPipedRepl } from './piped-repl.ts';

/** A disk whose journals cannot be written any more once `fail` is called. */
function breakableDisk() {
  let failure: { readonly call: 'write' | 'dataSync'; readonly code: SystemErrorCode } | undefined;
  const breakable = (file: FileHandle): FileHandle =>
    new Proxy(file, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== failure?.call) return member.bind(target);
        const { code } = failure;
        return () => {
          if (name === 'dataSync') return Promise.reject(systemError(code, 'fdatasync'));
          throw systemError(code, 'write');
        };
      },
    });
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    open: (path, ...rest) => {
      const file = nodeFileSystem.open(path, ...rest);
      return path.endsWith('.jsonl') ? breakable(file) : file;
    },
  };
  return {
    fileSystem,
    fail: (call: 'write' | 'dataSync', code: SystemErrorCode) => {
      failure = { call, code };
    },
    heal: () => {
      failure = undefined;
    },
  };
}

describe('a journal that cannot be written', () => {
  it('is reported immediately with a hint, further input explains, and the exit code is 9', async () => {
    const disk = breakableDisk();
    using repl = await openPipedRepl({ parts: { fileSystem: disk.fileSystem } });
    repl.enter('/title before');
    await repl.until('before');
    disk.fail('dataSync', 'EIO');
    repl.enter('hello');
    await repl.until('Nothing more is stored in this session');
    repl.shown.errors = '';
    repl.enter('again', '/history', '/usage', '/nope');
    repl.end();
    expect(await repl.exitCode).toBe(9);
    expect(repl.shown.errors).toContain('can no longer be written');
    expect(repl.shown.errors).toContain('ollm repl --resume talk');
    expect(repl.shown.output).toContain('turns');
  });

  it('may recover from a full disk: the failed message is refused, and the session continues', async () => {
    const disk = breakableDisk();
    using repl = await openPipedRepl({ parts: { fileSystem: disk.fileSystem } });
    disk.fail('write', 'ENOSPC');
    repl.enter('hello');
    await repl.until('ollm: ');
    disk.heal();
    repl.enter('/title still here');
    repl.end();
    expect(await repl.exitCode).toBe(9);
    expect(repl.shown.output).toContain('still here');
  });
});
