// Comments and pages of docs/ have at most 120 columns; the formatter sees only to the code. Prints each line that is
// wider. Tables, code and pictures of a page may be.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textWidth } from '../lib/display/width.ts';
import { ROOT, sourcesIn } from './sources.ts';

const COLUMNS = 120;
const FOLDERS = ['lib', '__tests__', 'bench', '.ci', 'schemas', 'bin', 'docs/examples'];

const wide = FOLDERS.flatMap((folder) => sourcesIn(folder, /\.(ts|tsx|js|css)$/).flatMap(wideComments));
/** `npm run generate` writes these. */
const GENERATED_PAGES = /^docs\/(commands|configuration|errors|events|routes)\.md$/;
const pages = ['docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
);
for (const page of ['README.md', 'CONTRIBUTING.md', ...pages])
  if (page.endsWith('.md') && !GENERATED_PAGES.test(page)) wide.push(...wideProse(page));

for (const line of wide) console.error(line);
if (wide.length > 0) process.exitCode = 1;

function wideComments([file, text]: readonly [string, string]): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.length > COLUMNS / 2 && /^\s*(\/\/|\/?\*\*?) |[;,{}()\]] \/\/ [^']*$/.test(line) && textWidth(line) > COLUMNS
        ? [`${file}:${index + 1}: ${textWidth(line)} columns`]
        : [],
    );
}

function wideProse(page: string): string[] {
  let isCode = false;
  return readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      const isFree = isCode || /^\s*\||^!\[/.test(line);
      return !isFree && textWidth(line) > COLUMNS ? [`${page}:${index + 1}: ${textWidth(line)} columns`] : [];
    });
}
