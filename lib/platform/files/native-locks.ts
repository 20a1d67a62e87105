// The kernel's locks, by fs-native-extensions. Loaded with the first lock: a command that only reads needs none. The
// package's native part is loaded directly, because its own way there reads eleven files, which takes as long as half a
// start of Node. The version is fixed in package.json, so that the parameters of the native part are those below.
import { createRequire } from 'node:module';

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
  const require = createRequire(import.meta.url);
  const native = nativePart(require);
  if (native === undefined) {
    const locks = require('fs-native-extensions') as Package;
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

/** Undefined where it is not in its usual place; the package says why it cannot be loaded. */
function nativePart(require: NodeJS.Require): NativePart | undefined {
  const { platform, arch } = process;
  try {
    return require(`fs-native-extensions/prebuilds/${platform}-${arch}/fs-native-extensions.node`) as NativePart;
  } catch {
    return undefined;
  }
}
