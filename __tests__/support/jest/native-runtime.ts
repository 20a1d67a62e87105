// How Jest loads a file of the tests: by Node's own `import`, which strips the types, and not into a context of its
// own. So lib/ and the packages are loaded once by each worker, instead of once by each of 500 files, and stay compiled
// and optimized from file to file. Test files therefore share the state of modules and the globals; the environment
// reverts their changes to the process. `jest` is a global name. Modules cannot be mocked.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Jest } from '@jest/environment';
import type runtime from 'jest-runtime';

const require = createRequire(import.meta.url);
const { default: Runtime } = require('jest-runtime') as typeof runtime;
/** jest-circus adds one for each part of itself; those of the file before would be called again. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

export default class NativeRuntime extends Runtime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  /** A set-up file is loaded once; its default export is called for each file of the tests. */
  override async unstable_importModule(path: string): Promise<void> {
    const { default: setUp } = (await import(pathToFileURL(path).href)) as { readonly default?: () => void };
    setUp?.();
  }

  /** Called only for jest-circus, which has the state of one file of the tests. */
  override requireInternalModule<T>(path: string): T {
    delete require.cache[path];
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    const { jestGlobals } = this as unknown as { readonly jestGlobals: { jestObjectFor(path: string): Jest } };
    Object.assign(globalThis, { jest: jestGlobals.jestObjectFor(path) });
    return require(path) as T;
  }
}
