// Rows of the full-text index that hold most of the words of a search, best first. The rows of each word are read once,
// as one text of numbers, and compared here: asked for two words together, the index would join the rows of each form
// once more.
import type { DatabaseSync } from 'node:sqlite';

/**
 * Rows that the rarest words may find together. The same share of the texts as 4,000 of those of 1,600 sessions has the
 * answers to 82 of the 86 questions of the bench, and this one those to all of them.
 */
const MAX_FOUND = 6_000;
/** The rows of a word that is in more are not kept: it is asked for again, together with the words that find. */
const MAX_KEPT = 50_000;
/** Rows with most of the words are sought only if fewer rows than this have all of them. */
const ENOUGH_WHOLE = 100;
/** Number of the best rows. Filters that let few rows pass look at all of these. */
const MAX_BEST = 1_000;

type Table = 'words' | 'names';

/** The rows that hold a word, in any of its forms. */
export interface WordRows {
  /** The expression of FTS5 for any of its forms. */
  readonly match: string;
  /** Their number; the fewer, the more the word counts. */
  readonly rows: number;
  /** The rows themselves, in their order. Undefined where they are too many. */
  readonly ids: Float64Array | undefined;
}

interface Sought {
  readonly table: Table;
  readonly words: readonly WordRows[];
  /** Expressions of which none may match. */
  readonly excluded: readonly string[];
  /** The least row that counts. */
  readonly since: number;
  /** Whether a filter may let few of the rows pass. */
  readonly isNarrow: boolean;
}

export interface FoundRow {
  readonly id: number;
  /** How rare the words are that it holds. */
  readonly score: number;
  /** The part of the words that it holds. */
  readonly cover: number;
}

/** Looks a word up. `match`: the expression for any of its forms. `most`: rows that are kept. */
export function rowsWith(database: DatabaseSync, table: Table, match: string, most = MAX_KEPT): WordRows {
  const ids = idsWith(database, table, { match, limit: most + 1 });
  if (ids.length <= most) return { match, rows: ids.length, ids };
  const counted = database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`).get(match);
  return { match, rows: Number(counted?.n), ids: undefined };
}

/** How much a word counts: the rarer, the more. */
export function rarityAmong(words: readonly Pick<WordRows, 'rows'>[]): (word: Pick<WordRows, 'rows'>) => number {
  const all = Math.max(...words.map(({ rows }) => rows), 1);
  return ({ rows }) => (rows === 0 ? 0 : Math.log(1 + all / rows));
}

/** A row with all of the words answers better than one with rarer words of which some are missing. */
export function worthOf({ cover }: Pick<FoundRow, 'cover'>, score: number): number {
  return score * cover ** 2;
}

/**
 * At most 1,000 rows that hold more than half of the words, those with the rarest ones first, and the newest of equal
 * ones. How often a row has a word does not count: FTS5's own rank reads all rows of each form again to weigh it, half
 * the time of a question, and answers no more of them.
 */
export function holdingMost(database: DatabaseSync, sought: Sought): readonly FoundRow[] {
  const rarestFirst = sought.words.filter(({ rows }) => rows > 0).toSorted((a, b) => a.rows - b.rows);
  const [rarest] = rarestFirst;
  if (rarest === undefined) return [];
  const most = Math.floor(rarestFirst.length / 2) + 1;
  const isAll = most === rarestFirst.length;
  if (isAll || (!sought.isNarrow && rarest.rows >= ENOUGH_WHOLE)) {
    const whole = holdingAll(database, sought, { rarestFirst, enough: isAll ? 1 : ENOUGH_WHOLE });
    if (isAll || whole.length > 0) return whole;
  }
  const seeking: WordRows[] = [];
  let rows = 0;
  for (const word of rarestFirst) {
    rows += word.ids?.length ?? word.rows;
    // Without one of these a row cannot hold most of them.
    const isNeeded = seeking.length <= rarestFirst.length - most;
    if (seeking.length === 0 || (isNeeded && rows <= MAX_FOUND)) seeking.push(word);
  }
  const newest = seeking.map(
    ({ ids, match }) => ids?.subarray(-MAX_FOUND) ?? newestWith(database, sought.table, match),
  );
  const match = seeking.map((word) => word.match).join(' OR ');
  return among(database, sought, { ids: joined(newest), match, rarestFirst, most });
}

/** The newest first. None if they are less than `enough`. */
function holdingAll(
  database: DatabaseSync,
  sought: Sought,
  { rarestFirst, enough }: { readonly rarestFirst: readonly WordRows[]; readonly enough: number },
): readonly FoundRow[] {
  const { table, words, since } = sought;
  const match = rarestFirst.map((word) => `(${word.match})`).join(' AND ');
  const [rarest, ...others] = rarestFirst;
  let ids = rarest?.ids ?? newestWith(database, table, match);
  ids = ids.subarray(placeOf(ids, since));
  for (const word of rarest?.ids ? others : []) {
    if (ids.length < enough) return [];
    ids = word.ids ? common(ids, word.ids) : idsWith(database, table, { match, least: ids[0] });
  }
  ids = wanted(database, sought, { ids, match });
  if (ids.length < enough) return [];
  const rarityOf = rarityAmong(words);
  const score = rarestFirst.reduce((sum, word) => sum + rarityOf(word), 0);
  return Array.from(ids.subarray(-MAX_BEST), (id) => ({ id, score, cover: 1 })).reverse();
}

/** Without those before `since`, and those that match an excluded expression. `match`: that of all of them. */
function wanted(
  database: DatabaseSync,
  { table, excluded, since }: Sought,
  { ids, match }: { readonly ids: Float64Array; readonly match: string },
): Float64Array {
  const those = ids.subarray(placeOf(ids, since));
  if (excluded.length === 0 || those.length === 0) return those;
  const not = `(${match}) AND (${excluded.join(' OR ')})`;
  const unwanted = new Set(idsWith(database, table, { match: not, least: those[0] }));
  return those.filter((id) => !unwanted.has(id));
}

interface Candidates {
  readonly ids: Float64Array;
  /** The expression that they match. */
  readonly match: string;
  readonly rarestFirst: readonly WordRows[];
  /** The number of words that a row is to hold. */
  readonly most: number;
}

function among(
  database: DatabaseSync,
  sought: Sought,
  { ids, match, rarestFirst, most }: Candidates,
): readonly FoundRow[] {
  const candidates = wanted(database, sought, { ids, match });
  const [least] = candidates;
  // Else a word whose rows are not kept would be read from the first row on.
  if (least === undefined) return [];
  const idsOf = (word: WordRows) =>
    word.ids ?? idsWith(database, sought.table, { match: `(${match}) AND (${word.match})`, least });
  /** A bit for each word that a candidate holds. */
  const held = new Uint32Array(candidates.length);
  for (const [at, word] of rarestFirst.entries()) mark(held, candidates, { ids: idsOf(word), bit: 1 << at });
  const valueOfSet = valuesOfSets(rarestFirst, rarityAmong(sought.words));
  const byWorth = new Map<number, FoundRow[]>();
  for (let at = candidates.length - 1; at >= 0; at -= 1) {
    const { words, worth, score, cover } = valueOfSet(held[at]!);
    if (words < most) continue;
    const rows = byWorth.get(worth) ?? [];
    if (rows.length === 0) byWorth.set(worth, rows);
    if (rows.length < MAX_BEST) rows.push({ id: candidates[at]!, score, cover });
  }
  const best = [...byWorth].sort(([one], [other]) => other - one);
  return best.flatMap(([, rows]) => rows).slice(0, MAX_BEST);
}

interface Value {
  /** How many of the words. */
  readonly words: number;
  readonly score: number;
  readonly cover: number;
  readonly worth: number;
}

/** The value of each set of words, which is computed once: few sets occur. */
function valuesOfSets(
  words: readonly WordRows[],
  rarityOf: (word: Pick<WordRows, 'rows'>) => number,
): (held: number) => Value {
  const values = new Map<number, Value>();
  return (held) => {
    const known = values.get(held);
    if (known !== undefined) return known;
    const those = words.filter((_, at) => (held >>> at) & 1);
    const score = those.reduce((sum, word) => sum + rarityOf(word), 0);
    const cover = those.length / words.length;
    const value = { words: those.length, score, cover, worth: worthOf({ cover }, score) };
    values.set(held, value);
    return value;
  };
}

/** The numbers that are in both. */
function common(candidates: Float64Array, ids: Float64Array): Float64Array {
  const held = new Uint32Array(candidates.length);
  mark(held, candidates, { ids, bit: 1 });
  return candidates.filter((_, at) => held[at] === 1);
}

/** Sets `bit` of each candidate that is among `ids`. Both are in order. */
function mark(
  held: Uint32Array,
  candidates: Float64Array,
  { ids, bit }: { readonly ids: Float64Array; readonly bit: number },
): void {
  let at = 0;
  for (let next = placeOf(ids, candidates[0] ?? Number.POSITIVE_INFINITY); next < ids.length; next += 1) {
    const id = ids[next]!;
    while (candidates[at]! < id) at += 1;
    if (at === candidates.length) return;
    if (candidates[at] === id) held[at]! |= bit;
  }
}

/** The index of the first number that is not less. */
function placeOf(ids: Float64Array, least: number): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ids[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** All of these numbers in order, each once. */
function joined(lists: readonly Float64Array[]): Float64Array {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only;
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort().filter((id, index) => id !== all[index - 1]);
}

interface Range {
  readonly match: string;
  readonly least?: number;
  /** Without one: all. */
  readonly limit?: number;
}

/** The rows from `least` on, in order. */
function idsWith(database: DatabaseSync, table: Table, { match, least = 0, limit = -1 }: Range): Float64Array {
  const rows = `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?`;
  return numbersIn(database, rows, [match, least, limit]);
}

/** The newest rows, in order. */
function newestWith(database: DatabaseSync, table: Table, match: string): Float64Array {
  const newest = `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ?`;
  return numbersIn(database, newest, [match, MAX_FOUND]).reverse();
}

/** The `id` of each row. Read as one text: an object for each row takes four times as long. */
function numbersIn(database: DatabaseSync, rows: string, values: readonly (string | number)[]): Float64Array {
  const row = database.prepare(`SELECT json_group_array(id) AS ids FROM (${rows})`).get(...values);
  return new Float64Array(JSON.parse(String(row?.ids)) as number[]);
}
