// The path of a thread's file: next to the module that starts it, in source or built form.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OllmError } from '../../errors/index.ts';

/**
 * @example
 * workerFile('host/work/worker', import.meta.url);
 * @throws OllmError INTERNAL if it is missing
 */
export function workerFile(path: string, startedBy: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const places = [`./${name}.ts`, `./${name}.js`];
  const files = places.map((place) => fileURLToPath(new URL(place, startedBy)));
  const file = files.find((each) => existsSync(each));
  if (file === undefined) throw new OllmError('INTERNAL', `The file of the thread ${path} is missing.`);
  return file;
}
