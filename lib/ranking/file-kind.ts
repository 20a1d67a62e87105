// What kind of text a file is, by its path: prose, code, a test, what a program wrote, a history of changes. Pure.

export type FileTextKind = 'prose' | 'code' | 'types' | 'data' | 'test' | 'generated' | 'history';

/** Lock files, bundles, maps, snapshots and exports of sessions: long lists of every word. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|go\.sum|[^/]*\.lock|[^/]*[.-]lock\.(?:ya?ml|json)|[^/]*[.-]min\.[a-z]+|[^/]*\.(?:generated|gen|pb)\.[a-z]+|[^/]*\.(?:map|snap|svg)|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z]+)$/i;
const HISTORY = /(?:^|\/)(?:changelog|changes|history|release-?notes|releases|news)(?:\.[a-z]+)?$/i;
/** Tests contain the same words as the tested code, and tell less about it. */
const TEST =
  /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|e2e|fixtures?|benchmarks?|bench)\/|[._-](?:test|tests|spec|bench|tst)\.[a-z]+$|(?:^|\/)test_[^/]*\.py$/i;
const PROSE = /\.(?:md|markdown|mdx|rst|adoc|txt)$|(?:^|\/)(?:readme|contributing|licen[cs]e|copying)$/i;
const DATA = /\.(?:json|jsonl|ndjson|ya?ml|toml|csv|tsv|xml|ini|html?|css)$/i;

/** Whether it is prose by its name, for any purpose: a change log is. */
export function isPage(path: string): boolean {
  return PROSE.test(path) || HISTORY.test(path);
}

/**
 * @example
 * fileKindOf('src/lock.test.ts'); // 'test'
 */
export function fileKindOf(path: string): FileTextKind {
  if (GENERATED.test(path)) return 'generated';
  if (HISTORY.test(path)) return 'history';
  if (TEST.test(path)) return 'test';
  if (PROSE.test(path)) return 'prose';
  if (/\.d\.[cm]?ts$/.test(path)) return 'types';
  return DATA.test(path) ? 'data' : 'code';
}
