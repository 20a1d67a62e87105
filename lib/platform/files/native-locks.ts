// The kernel's locks, by fs-native-extensions. Loaded with the first lock: a command that only reads needs none.
import { createRequire } from 'node:module';

/** Takes the lock of an open file, or says that another process has it. */
export type TryLock = (descriptor: number, mode: 'exclusive' | 'shared') => boolean;

interface Package {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
}

/** @throws where the package has no build for this system */
export function loadLocks(): TryLock {
  const locks = createRequire(import.meta.url)('fs-native-extensions') as Package;
  return (descriptor, mode) => locks.tryLock(descriptor, { shared: mode === 'shared' });
}
