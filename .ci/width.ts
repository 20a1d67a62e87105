// Comments have at most 120 columns; the formatter sees to the code alone. Prints each line that is wider.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textWidth } from '../lib/display/width.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 120;
const FOLDERS = ['lib', '__tests__', 'bench', '.ci', 'schemas', 'bin', 'docs/examples'];
/** A generator decides how these are laid out. */
const GENERATED = /\.generated\./;

const wide = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js|css)$/.test(file) && !file.includes('node_modules') && !GENERATED.test(file))
    .flatMap((file) => wideComments(join(folder, file))),
);
for (const line of wide) console.error(line);
if (wide.length > 0) process.exitCode = 1;

function wideComments(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > COLUMNS / 2 && /^\s*(\/\/|\/?\*) |[;,{}()\]] \/\/ [^']*$/.test(line) && textWidth(line) > COLUMNS
        ? [`${file}:${index + 1}: ${textWidth(line)} columns`]
        : [],
    );
}
