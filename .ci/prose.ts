// Plain English: the patterns of CONTRIBUTING.md that a machine can find, in comments, pages and titles of tests.
// A file may have as many hits as .ci/prose.txt lists for it, and not one more; `--write` takes the present counts over
// where they are lower, so that the list only shrinks. `--show FILE…` prints the hits of these files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, sourcesIn } from './sources.ts';

const LIST = join(ROOT, '.ci', 'prose.txt');
const FOLDERS = ['lib', '__tests__', 'bench', '.ci', 'bin', 'docs'];
/** Generated from sources that are checked themselves. */
const GENERATED = /\.generated\.|^docs\/(?:commands|configuration|errors|events|routes)\.md$|^docs\/recording\//;
/** It holds the patterns. */
const SELF = '.ci/prose.ts';

const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['begins without its noun', /^(?:Of|That of|Those|The same|One|None|Its|Also|Another|Other)\b/],
  ['a clause in place of a noun', /\b(?:what|whatever) (?:is|was|are|has|it|they|the|came|comes|waits|runs)\b/i],
  ['so many for a parameter', /\bso (?:many|much|long|far|few)\b/i],
  ['another … than', /\b(?:an)?other\b.{0,40}\bthan\b/i],
  ['alone, beside', /\b(?:alone|besides?)\b/i],
  ['behind, lies, stands', /\b(?:behind|in front of|lies|stands)\b/i],
  ['a passive with its preposition left over', /\b(?:gone on with|lets? go of|(?:is|was|are) led|goe?s? along)\b/i],
  ['of ours', /\bof (?:ours|yours|theirs)\b/i],
  [
    'nobody, anew, is no',
    /\b(?:whoever|nobody|somebody|anew|as ever)\b|(?<!\bthere )\bis no (?!longer\b|more\b)[a-z]/i,
  ],
];

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

const pages = ['README.md', 'CONTRIBUTING.md'].map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);
const files = FOLDERS.flatMap((folder) => sourcesIn(folder, /\.(?:ts|tsx|js|md)$/));
const checked = [...pages, ...files].filter(([file]) => !GENERATED.test(file) && file !== SELF);
const hits = Map.groupBy(checked.flatMap(hitsIn), ({ file }) => file);
const [mode, ...named] = process.argv.slice(2);
if (mode === '--show') {
  for (const file of named) for (const hit of hits.get(relative(ROOT, join(ROOT, file))) ?? []) console.log(shown(hit));
} else if (mode === '--write') write();
else check();

function check(): void {
  const allowed = allowedCounts();
  let isOver = false;
  for (const [file, found] of hits) {
    const most = allowed.get(file) ?? 0;
    if (found.length <= most) continue;
    isOver = true;
    console.error(`${file}: ${found.length} places of old grammar, at most ${most}. The newest may be among them:`);
    for (const hit of found.slice(-Math.max(3, found.length - most))) console.error(`  ${shown(hit)}`);
  }
  if (isOver) process.exitCode = 1;
}

/** A count never rises, except that of a list that does not exist yet. */
function write(): void {
  const before = existsSync(LIST) ? allowedCounts() : undefined;
  const lines = [...hits]
    .map(([file, found]) => [file, Math.min(found.length, before?.get(file) ?? (before ? 0 : found.length))] as const)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(LIST, `${lines.map(([file, count]) => `${count} ${file}`).join('\n')}\n`);
}

function allowedCounts(): Map<string, number> {
  const rows = readFileSync(LIST, 'utf8').trim().split('\n');
  return new Map(
    rows.map((row) => {
      const [count = '0', ...path] = row.split(' ');
      return [path.join(' '), Number(count)];
    }),
  );
}

function hitsIn([file, content]: readonly [string, string]): Hit[] {
  return content.split('\n').flatMap((text, index) => {
    const words = file.endsWith('.md') ? text : proseOf(text);
    if (words === undefined) return [];
    const found = PATTERNS.filter(([, pattern]) => pattern.test(words));
    return found.map(([name]) => ({ file, line: index + 1, name, text: text.trim() }));
  });
}

/** The comment of a line of code, or the title of a test. */
function proseOf(line: string): string | undefined {
  return (
    /^\s*(?:\/\/|\/?\*\*?)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1] ??
    /\b(?:it|test|describe)(?:\.each)?\(\s*['"`](.*)/.exec(line)?.[1]
  );
}

function shown({ file, line, name, text }: Hit): string {
  return `${file}:${line}: ${name}: ${text.slice(0, 100)}`;
}
