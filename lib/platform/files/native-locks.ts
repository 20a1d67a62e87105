// The kernel's locks, by fs-native-extensions. Loaded with the first lock: a command that only reads needs none. The
// package's native part is loaded directly, because its own way there reads eleven files, which takes as long as half a
// start of Node; to have Node resolve it takes a millisecond. The version is fixed in package.json, so that the
// parameters of the native part are those below.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Takes the lock of an open file, or says that another process has it. */
export type TryLock = (descriptor: number, mode: 'exclusive' | 'shared') => boolean;

interface Package {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
}

interface NativePart {
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
}

/** @throws where the package has no build for this system */
export function loadLocks(): TryLock {
  const native = nativePart();
  if (native === undefined) {
    const locks = createRequire(import.meta.url)('fs-native-extensions') as Package;
    return (descriptor, mode) => locks.tryLock(descriptor, { shared: mode === 'shared' });
  }
  return (descriptor, mode) => {
    try {
      // From 0 to 0 is the whole file.
      native.tryLock(descriptor, 0, 0, mode === 'exclusive');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
      throw error;
    }
  };
}

/** Undefined where it is not in a usual place; the package says why it cannot be loaded. */
function nativePart(): NativePart | undefined {
  const { platform, arch } = process;
  const place = `node_modules/fs-native-extensions/prebuilds/${platform}-${arch}/fs-native-extensions.node`;
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, place);
    if (existsSync(path)) return loaded(path);
    if (dirname(folder) === folder) return undefined;
  }
}

function loaded(path: string): NativePart | undefined {
  const part = { exports: {} };
  try {
    process.dlopen(part, path);
    return part.exports as NativePart;
  } catch {
    return undefined;
  }
}
