// The kernel's locks, by the native module of fs-native-extensions. The package looks for that module under every name
// that a system could have given it, with fifteen files of its own: a tenth of what the REPL takes until its prompt stands.
// So the build of it that is known is loaded from where it lies; where it does not, or is another one, the package is asked.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Takes the lock of an open file, or says that somebody else has it. */
export type TryLock = (descriptor: number, mode: 'exclusive' | 'shared') => boolean;

const PACKAGE = 'fs-native-extensions';
/** Whose native module is called as below. A test holds it against the one that is installed. */
export const KNOWN_VERSION = '1.5.1';

/** @throws where there is no build for this system */
export function loadLocks(knownVersion = KNOWN_VERSION): TryLock {
  const require = createRequire(import.meta.url);
  const binding = knownBinding(require, knownVersion);
  if (binding) return (descriptor, mode) => tryDirectly(binding, descriptor, mode);
  const locks = require(PACKAGE) as Package;
  return (descriptor, mode) => locks.tryLock(descriptor, { shared: mode === 'shared' });
}

interface Package {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
}

interface Binding {
  /** Throws where somebody else has it. */
  tryLock(descriptor: number, offset: number, length: number, exclusive: boolean): void;
}

function knownBinding(require: NodeJS.Require, knownVersion: string): Binding | undefined {
  try {
    const description = require.resolve(`${PACKAGE}/package.json`);
    const { version } = JSON.parse(readFileSync(description, 'utf8')) as { readonly version?: unknown };
    if (version !== knownVersion) return undefined;
    const system = `${process.platform}-${process.arch}`;
    return require(join(dirname(description), 'prebuilds', system, `${PACKAGE}.node`)) as Binding;
  } catch {
    return undefined;
  }
}

function tryDirectly(binding: Binding, descriptor: number, mode: 'exclusive' | 'shared'): boolean {
  try {
    binding.tryLock(descriptor, 0, 0, mode === 'exclusive');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}
