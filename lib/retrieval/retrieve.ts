// The passages that answer a question, best first, with their places: by the words of the question, and by meaning if
// its vector was compared. Nearly equal passages are joined; shell output that prints a file is left out if the file
// itself is found.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { defined } from '../platform/json.ts';
import { isPage } from '../ranking/file-kind.ts';
import type { Overview } from '../ranking/intent.ts';
import { type Quote, quoteOf } from '../ranking/quote.ts';
import { readQuery, stemsIn } from '../ranking/words.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import type { CountedWords } from './find-by-words.ts';
import { fuse } from './fuse.ts';
import type { PassageSource, SourceKind } from './passages.ts';
import { printedFiles } from './printed-files.ts';
import { type RankedPassage, rankPassages } from './rank-passages.ts';
import { isInScope, type RecallScope } from './recall-scope.ts';

export type { RecallScope } from './recall-scope.ts';

export interface RetrieveRequest {
  readonly question: string;
  readonly limit: number;
  readonly scope?: RecallScope | undefined;
  /** Passages by nearness in meaning, best first, over the whole scope. Default: only words decide. */
  readonly byMeaning?: readonly number[] | undefined;
  /** Words of files in the scope that have no passages yet. */
  readonly uncut?: CountedWords | undefined;
  /** Passages that are not wanted. */
  readonly isLeftOut?: ((passage: FoundPassage) => boolean) | undefined;
}

export interface PassageRanks {
  readonly words?: number | undefined;
  readonly meaning?: number | undefined;
}

/** A passage that was found. */
export interface FoundPassage {
  /** `path:line`, or `agent:id#KEY`. */
  readonly place: string;
  readonly kind: SourceKind;
  /** For a file, the root of its project; for a session, its directory. */
  readonly project: string | undefined;
  /** The lines of a file, from 1. */
  readonly lines: readonly [first: number, last: number] | undefined;
  /** The time of a record, RFC 3339. */
  readonly at: string | undefined;
  /** Path and headings, or the call that an output came from. */
  readonly about: string;
  readonly text: string;
  /** About. */
  readonly tokens: number;
  /** Higher is better; to be compared with others of the same answer. */
  readonly score: number;
  /** Words of the question that it has, as they were asked. */
  readonly words: readonly string[];
  /**
   * Its ranks in the orders by words and by meaning, from 1, if it is in that order. Passages before it may have been
   * left out.
   */
  readonly ranks: PassageRanks;
  /** The question that it answers, if it describes its project as a whole. */
  readonly answers?: Overview | undefined;
  /** The paragraph or the definition in it that answers best. */
  readonly quote: Quote;
}

/** Places of an order that are looked at. */
const MAX_LOOKED_AT = 1_000;
/** The part of each order that is joined with the other. */
const MAX_JOINED = 200;
/** Words of the shorter that the longer has too. Passages that overlap share a tenth. */
const SAME_SHARE = 0.85;

const PLACES = `
  SELECT s.kind, s.home, s.name, s.project, p.line, p.last_line, p.key, p.at
  FROM places p JOIN sources s ON s.number = p.source WHERE p.passage = ? ORDER BY p.at, s.number`;

/** A file that was not read, such as a large one, has no places. */
const FILES = `
  SELECT home, name FROM sources
  WHERE kind = 'file' AND EXISTS (SELECT 1 FROM places WHERE places.source = sources.number)`;

export function retrieve(database: DatabaseSync, request: RetrieveRequest): FoundPassage[] {
  const { question, limit, scope = {}, isLeftOut = () => false } = request;
  const query = readQuery(question);
  const placesOf = placesIn(database, scope);
  const { ranked, intent, rarityOf } = rankPassages(database, question, scope, request.uncut);
  const order = orderOf(ranked, request.byMeaning);
  const textOf = database.prepare('SELECT about, text FROM passages WHERE id = ?');
  const isPrintedFile = printsFileOf(database);
  const found: FoundPassage[] = [];
  const asked = new Set(intent.query.terms.map(({ stem }) => stem));
  const said: Set<string>[] = [];
  const quoted = new Set<string>();
  for (const { passage, score, ranks, answers } of order.slice(0, MAX_LOOKED_AT)) {
    if (found.length === limit) break;
    const place = placesOf(passage);
    const row = textOf.get(passage);
    if (place === undefined || row === undefined || quoted.has(unitOf(place))) continue;
    const text = String(row.text);
    const words = new Set(stemsIn(text));
    const known = new Set([...words, ...stemsIn(String(row.about))]);
    const one: FoundPassage = {
      ...placed(place),
      about: String(row.about),
      text,
      tokens: estimateTokens(text),
      score,
      words: query.terms.filter(({ stem }) => known.has(stem)).map(({ shown }) => shown),
      ranks,
      ...(answers === undefined ? {} : { answers: answers.overview }),
      quote: quoteOf(text, {
        weightOf: (stem) => (asked.has(stem) ? rarityOf(stem) : 0),
        identifiers: intent.identifiers,
        kind: place.kind === 'session' ? 'prose' : quotedAs(String(place.name)),
        says: answers?.says,
      }),
    };
    if (isPrintedFile(one) || isLeftOut(one)) continue;
    if (said.some((other) => isNearlySame(words, other))) continue;
    said.push(words);
    quoted.add(unitOf(place));
    found.push(one);
  }
  return found;
}

/** A file or a record: one passage of each is quoted. */
function unitOf({ kind, home, name, key }: PassageRow): string {
  return [kind, home, name, key].join('\0');
}

function quotedAs(path: string): 'prose' | 'code' | 'data' {
  if (/\.(?:json|jsonl|ya?ml|toml)$/i.test(path)) return 'data';
  return isPage(path) ? 'prose' : 'code';
}

type PassageRow = Readonly<Record<string, unknown>>;

/** The first place of a passage in the scope. */
function placesIn(database: DatabaseSync, scope: RecallScope): (passage: number) => PassageRow | undefined {
  const places = database.prepare(PLACES);
  return (passage) => places.all(passage).find((row) => isInScope(row as unknown as PassageSource, scope));
}

/** Whether it is what a shell printed of a file whose passages are here. */
function printsFileOf(database: DatabaseSync): (passage: FoundPassage) => boolean {
  let paths: Set<string> | undefined;
  const indexed = () => {
    const files = database.prepare(FILES).all();
    return new Set(files.map(({ home, name }) => join(String(home), String(name))));
  };
  return ({ kind, about, project }) => {
    if (kind !== 'session' || project === undefined) return false;
    const printed = printedFiles(about, project);
    if (printed.length === 0) return false;
    paths ??= indexed();
    const known = paths;
    return printed.some((path) => known.has(path));
  };
}

interface Ordered extends RankedPassage {
  readonly ranks: PassageRanks;
}

/** The order by words if there is no other; else both orders joined. */
function orderOf(found: readonly RankedPassage[], byMeaning: readonly number[] | undefined): readonly Ordered[] {
  if (byMeaning === undefined) return found.map((each, index) => ({ ...each, ranks: { words: index + 1 } }));
  const orders = [found.map(({ passage }) => passage), byMeaning].map((order) => order.slice(0, MAX_JOINED));
  const answers = new Map(found.map((each) => [each.passage, each.answers]));
  return fuse(orders).map(({ passage, score, ranks: [words, meaning] }) => ({
    ...{ passage, score, answers: answers.get(passage) },
    ranks: { ...defined({ words, meaning }) },
  }));
}

function placed({ kind, home, name, project, line, last_line, key, at }: PassageRow) {
  const isFile = kind === 'file';
  return {
    place: isFile ? `${name}:${line}` : `${name}#${key}`,
    kind: kind as SourceKind,
    project: isFile ? String(home) : project === null ? undefined : String(project),
    lines: isFile ? ([Number(line), Number(last_line)] as const) : undefined,
    at: at === null || Number(at) === 0 ? undefined : new Date(Number(at)).toISOString(),
  };
}

function isNearlySame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [short, long] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of short) if (long.has(word)) shared += 1;
  return shared >= SAME_SHARE * short.size && short.size >= SAME_SHARE * long.size * SAME_SHARE;
}
