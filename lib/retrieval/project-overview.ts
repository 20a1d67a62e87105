// A project's description of itself, in the files that most projects have: the head of the README, the description and
// scripts of the manifest, the licence, how to contribute.
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Overview } from '../ranking/intent.ts';
import type { Ranked } from './find-by-words.ts';
import type { NumberedSource } from './recall-scope.ts';

const README = /^readme(?:\.[a-z]+)?$/i;
const MANIFEST =
  /^(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.py|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|Gemfile|[^/]*\.gemspec|Makefile|justfile)$/i;
const LICENCE = /^(?:licen[cs]e|copying|unlicense)(?:[.-][\w.-]+)?$/i;
const HISTORY = /^(?:changelog|changes|history|release-?notes|releases|news)(?:\.[a-z]+)?$/i;
const CONTRIBUTING = /^(?:\.github\/|docs\/)?contributing(?:\.[a-z]+)?$/i;
const AUTHORS = /^(?:\.github\/|docs\/)?(?:authors|contributors|maintainers|codeowners)(?:\.[a-z]+)?$/i;
const SECURITY = /^(?:\.github\/|docs\/)?security(?:\.[a-z]+)?$/i;

interface Part {
  readonly file: RegExp;
  /** The passage of the file that has this, in its headings before its text; else its first. */
  readonly says?: RegExp | undefined;
}

/** In the order of an answer. */
const PARTS: Readonly<Record<Overview, readonly Part[]>> = {
  about: [{ file: README }, { file: MANIFEST, says: /"?description"?\s*[:=]/ }],
  start: [
    {
      file: README,
      says: /\b(?:install\w*|get(?:ting)? started|quick ?start|set-?up|npm (?:install|ci)|start|usage)\b/i,
    },
    { file: MANIFEST, says: /"scripts"/ },
  ],
  tests: [
    { file: MANIFEST, says: /"test\w*"\s*:|\btest\b/ },
    { file: CONTRIBUTING, says: /\btests?\b/i },
    { file: README, says: /\b(?:npm|yarn|pnpm|cargo|make|go) (?:run )?tests?\b|^#+.*\btest/im },
  ],
  licence: [
    { file: LICENCE },
    { file: MANIFEST, says: /"?licen[cs]e"?\s*[:=]/ },
    { file: README, says: /\blicen[cs]e/i },
  ],
  changes: [{ file: HISTORY, says: /^.*$/s }],
  authors: [
    { file: AUTHORS },
    { file: MANIFEST, says: /"?(?:author|authors|contributors|maintainers)"?\s*[:=]/ },
    { file: LICENCE, says: /copyright/i },
    { file: README, says: /\b(?:authors?|maintain(?:ed|ers?)|created by|written by)\b/i },
  ],
  runtime: [
    { file: MANIFEST, says: /"(?:engines|node|php|ruby)"\s*:|requires-python|rust-version|^go \d|\bjava\.version/m },
    { file: README, says: /\b(?:node(?:\.js)?|python|rust|go|java|ruby|php|deno|bun)\b[^.\n]{0,20}\d/i },
  ],
  files: [],
  contribute: [{ file: CONTRIBUTING }, { file: README, says: /\bcontribut/i }],
  security: [{ file: SECURITY }, { file: README, says: /\b(?:security|vulnerabilit)/i }],
};

/** Whether a file may say what its project is as a whole. */
export function isOverviewFile(path: string): boolean {
  if (!/^(?:\.github\/|docs\/)?[^/]*$/.test(path)) return false;
  return Object.values(PARTS).some((parts) => parts.some(({ file }) => file.test(path)));
}

interface OverviewPassage {
  readonly passage: number;
  /** A pattern of the quoted line; or `head`, the first line with content. */
  readonly says: RegExp | 'head';
}

/** Passages of the files at the root of the project, in the order of an answer, one of each file. */
export function overviewPassages(
  database: DatabaseSync,
  files: readonly NumberedSource[],
  overview: Overview,
  ranked: readonly Ranked[],
): OverviewPassage[] {
  const rankOf = new Map(ranked.map(({ passage }, index) => [passage, index]));
  const places = database.prepare(
    'SELECT p.id, p.about, p.text FROM places l JOIN passages p ON p.id = l.passage WHERE l.source = ? ORDER BY l.line',
  );
  return PARTS[overview].flatMap(({ file, says }): OverviewPassage[] => {
    const source = files.find(({ name }) => file.test(name));
    const all = source === undefined ? [] : places.all(source.number);
    const passages = all.map(({ id, about, text }) => ({ id: Number(id), about: String(about), text: String(text) }));
    if (says === undefined) return passages.slice(0, 1).map(({ id }) => ({ passage: id, says: 'head' }));
    const fitting =
      passages.find(({ about }) => about.includes(' › ') && says.test(about.slice(about.lastIndexOf(' › ')))) ??
      passages
        .filter(({ text }) => says.test(text))
        .sort((a, b) => (rankOf.get(a.id) ?? ranked.length) - (rankOf.get(b.id) ?? ranked.length))[0];
    return fitting === undefined ? [] : [{ passage: fitting.id, says }];
  });
}

/** Names of the projects of these files: their directories, and names in their manifests. */
export function projectNames(database: DatabaseSync, files: readonly NumberedSource[]): string[] {
  const homes = new Set(files.map(({ home }) => home));
  const head = database.prepare(
    'SELECT p.text FROM places l JOIN passages p ON p.id = l.passage WHERE l.source = ? ORDER BY l.line LIMIT 1',
  );
  const manifests = files.filter(
    ({ name }) => name === 'package.json' || name === 'Cargo.toml' || name === 'pyproject.toml',
  );
  const named = manifests.flatMap(({ number }) => {
    const text = String(head.get(number)?.text ?? '');
    return /^\s*"?name"?\s*[:=]\s*"([^"]+)"/m.exec(text)?.[1] ?? [];
  });
  return [...new Set([...Array.from(homes, (home) => basename(home)), ...named])];
}
