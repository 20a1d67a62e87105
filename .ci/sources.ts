// The files of the repository that the checks read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The files below a folder whose names match, by their paths from the root, each with its text. */
export function sourcesIn(folder: string, names = /\.tsx?$/): (readonly [file: string, text: string])[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => names.test(file) && !file.includes('node_modules'))
    .map((file) => [join(folder, file), readFileSync(join(ROOT, folder, file), 'utf8')] as const);
}
