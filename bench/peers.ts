// Packages that ollm is measured next to it. They come with `npm ci --prefix bench`; without them their rows are
// skipped.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** Undefined if it is not installed. The type names the members that the caller uses. */
export async function loadPeer<Module>(name: string): Promise<Module | undefined> {
  try {
    return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
  } catch {
    return undefined;
  }
}
