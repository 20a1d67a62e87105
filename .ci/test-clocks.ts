// No test states a time: neither a limit of its own next to the one in jest.config.js, nor a figure that a clock or the
// processor must stay below. Both hold on an idle machine only. Figures belong in `npm run bench`; a test counts files,
// calls or bytes, or compares two rounds of the same run.
import { sourcesIn } from './sources.ts';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,6}\}, [\d_]{4,}\);$|^ {2,6}\d+_000,\n(?= {0,4}\);)/gm, 'a limit of its own'],
  [
    /expect\([^\n]*(?:performance\.now|cpuUsage|hrtime|\bcpuMs\()[^\n]*\)[^\n]*toBe(?:Less|Greater)/g,
    'a time that is asserted',
  ],
  [/expect\([^\n]*(?:performance\.now\(\) -|\b(?:ms|elapsed|took|seconds)\))\)?\.toBeLess/g, 'a time that is asserted'],
];

const found = sourcesIn('__tests__', /\.test\.ts$/).flatMap(([file, text]) =>
  PATTERNS.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineAt(text, index)}: ${what}`),
  ),
);

for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
