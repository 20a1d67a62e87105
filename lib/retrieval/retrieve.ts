// The passages that answer a question, best first, from the index of words, with their places. Passages that say nearly
// the same are one.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { readQuery, wordsIn } from '../ranking/words.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { findByWords } from './find-by-words.ts';
import type { SourceKind } from './passages.ts';

/** Where passages are looked for. */
export interface RecallScope {
  /** A directory, absolute: its files, and sessions in it or below it. Default: everything that is indexed. */
  readonly project?: string | undefined;
  /** Default: files and sessions. */
  readonly kind?: SourceKind | undefined;
}

export interface RetrieveRequest {
  readonly question: string;
  readonly limit: number;
  readonly scope?: RecallScope | undefined;
  /** Passages that are not wanted. */
  readonly isLeftOut?: ((passage: FoundPassage) => boolean) | undefined;
}

/** A passage that was found. */
export interface FoundPassage {
  /** `path:line`, or `agent:id#KEY`. */
  readonly place: string;
  readonly kind: SourceKind;
  /** Of a file, the root of its project; of a session, its directory. */
  readonly project: string | undefined;
  /** The lines of a file, from 1. */
  readonly lines: readonly [first: number, last: number] | undefined;
  /** Of a record, RFC 3339. */
  readonly at: string | undefined;
  /** Path and headings, or the call that an output came from. */
  readonly about: string;
  readonly text: string;
  /** About. */
  readonly tokens: number;
  /** Higher is better; to be compared with others of the same answer. */
  readonly score: number;
  /** Those of the question that are in it, as they were asked. */
  readonly words: readonly string[];
  /** Its place in the order by words, from 1. Passages before it may have been left out. */
  readonly ranks: { readonly words: number };
}

/** Places of an order that are looked at. */
const MAX_LOOKED_AT = 1_000;
/** Words of the shorter that the longer has too. Passages that overlap share a tenth. */
const SAME_SHARE = 0.85;

const PLACES = `
  SELECT s.kind, s.home, s.name, s.project, p.line, p.last_line, p.key, p.at
  FROM places p JOIN sources s ON s.number = p.source WHERE p.passage = ? ORDER BY p.at, s.number`;

export function retrieve(database: DatabaseSync, request: RetrieveRequest): FoundPassage[] {
  const { question, limit, scope = {}, isLeftOut = () => false } = request;
  const query = readQuery(question);
  const order = findByWords(database, query);
  const placesOf = database.prepare(PLACES);
  const textOf = database.prepare('SELECT about, text FROM passages WHERE id = ?');
  const found: FoundPassage[] = [];
  const said: Set<string>[] = [];
  for (const [index, { passage, score }] of order.slice(0, MAX_LOOKED_AT).entries()) {
    if (found.length === limit) break;
    const place = placesOf.all(passage).find((each) => isInScope(each, scope));
    const row = textOf.get(passage);
    if (place === undefined || row === undefined) continue;
    const text = String(row.text);
    const words = stemsIn(text);
    const known = new Set([...words, ...stemsIn(String(row.about))]);
    const one: FoundPassage = {
      ...placed(place),
      about: String(row.about),
      text,
      tokens: estimateTokens(text),
      score,
      words: query.terms.filter(({ stem }) => known.has(stem)).map(({ shown }) => shown),
      ranks: { words: index + 1 },
    };
    if (isLeftOut(one)) continue;
    if (said.some((other) => isNearlySame(words, other))) continue;
    said.push(words);
    found.push(one);
  }
  return found;
}

function stemsIn(text: string): Set<string> {
  return new Set([...wordsIn(text)].map(({ stem }) => stem));
}

type Row = Readonly<Record<string, unknown>>;

function isInScope({ kind, home, name, project }: Row, scope: RecallScope): boolean {
  if (scope.kind !== undefined && kind !== scope.kind) return false;
  if (scope.project === undefined) return true;
  const place = kind === 'file' ? join(String(home), String(name)) : String(project ?? '');
  return place === scope.project || place.startsWith(scope.project.endsWith('/') ? scope.project : `${scope.project}/`);
}

function placed({ kind, home, name, project, line, last_line, key, at }: Row) {
  const isFile = kind === 'file';
  return {
    place: isFile ? `${name}:${line}` : `${name}#${key}`,
    kind: kind as SourceKind,
    project: isFile ? String(home) : project === null ? undefined : String(project),
    lines: isFile ? ([Number(line), Number(last_line)] as const) : undefined,
    at: at === null ? undefined : new Date(Number(at)).toISOString(),
  };
}

function isNearlySame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [short, long] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of short) if (long.has(word)) shared += 1;
  return shared >= SAME_SHARE * short.size && short.size >= SAME_SHARE * long.size * SAME_SHARE;
}
