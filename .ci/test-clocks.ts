// No test states a time: neither a limit of its own next to the one in jest.config.js, nor a figure that a clock or the
// processor must stay below. Both hold on an idle machine only. Figures belong in `npm run bench`; a test counts files,
// calls or bytes, or compares two rounds of the same run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,6}\}, [\d_]{4,}\);$|^ {2,6}\d+_000,\n(?= {0,4}\);)/gm, 'a limit of its own'],
  [
    /expect\([^\n]*(?:performance\.now|cpuUsage|hrtime|\bcpuMs\()[^\n]*\)[^\n]*toBe(?:Less|Greater)/g,
    'a time that is asserted',
  ],
  [/expect\([^\n]*(?:performance\.now\(\) -|\b(?:ms|elapsed|took|seconds)\))\)?\.toBeLess/g, 'a time that is asserted'],
];

const found = readdirSync(join(ROOT, '__tests__'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(ROOT, '__tests__', file), 'utf8');
    return PATTERNS.flatMap(([pattern, what]) =>
      [...text.matchAll(pattern)].map(({ index }) => `__tests__/${file}:${lineAt(text, index)}: ${what}`),
    );
  });

for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
