// The packages that ollm is measured against. They come with `npm ci --prefix bench`; one that is missing is a row that
// says so, never a failure.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Skipped } from './measure.ts';

const require = createRequire(import.meta.url);

/** The module, or undefined if it is not installed. Its type is what the caller uses of it. */
export async function loadPeer<Module>(name: string): Promise<Module | undefined> {
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    return undefined;
  }
  return (await import(pathToFileURL(path).href)) as Module;
}

export function missingPeer(what: string, name: string): Skipped {
  return { kind: 'skipped', what, reason: `${name} is not installed: npm ci --prefix bench` };
}
