// Searches by a regular expression, newest first. It has a time limit, and a result says how far it came.
import { OllmError } from '../errors/index.ts';
import { withinTime } from '../platform/time-limit.ts';
import { type Excerpt, excerptAt } from './hit-excerpt.ts';
import { timeOfId } from './message-id.ts';
import type { SearchParts } from './search-filter.ts';
import {
  DEFAULT_LIMIT,
  type SearchHit,
  type SearchLimits,
  type SearchRequest,
  type SearchResult,
} from './search-request.ts';
import { hitOf, MESSAGE, type SearchRow } from './search-rows.ts';

const ROWS_PER_READ = 500;
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;
const REGEX_MS = 10_000;
const REGEX_BATCH_MS = 1_000;

/**
 * @throws OllmError USAGE: the text cannot be read as a regular expression
 */
export function searchByRegex(
  { database, filter, repetitions, textOf }: SearchParts,
  { text, limit = DEFAULT_LIMIT }: SearchRequest,
  { clock, regexMs = REGEX_MS }: SearchLimits,
): SearchResult {
  const pattern = patternOf(text);
  const next = database.prepare(`${MESSAGE} WHERE m.id < ? AND m.id >= ? ORDER BY m.id DESC LIMIT ${ROWS_PER_READ}`);
  const hits: SearchHit[] = [];
  const end = clock.monotonic() + regexMs;
  let skipped = 0;
  let below = Number.MAX_SAFE_INTEGER;
  const result = (isCut: boolean, unread?: number): SearchResult => ({
    // Ids are in the order of time to the second.
    hits: hits.toSorted(({ at: a = '' }, { at: b = '' }) => (a < b ? 1 : a > b ? -1 : 0)),
    isCut,
    leftOut: [
      ...(unread === undefined ? [] : [`The time was over: what is older than ${timeOfId(unread)} was not searched.`]),
      ...(skipped === 0 ? [] : [`The expression took too long in ${skipped} of the messages, which were passed over.`]),
    ],
  });
  for (;;) {
    const read = next.all(below, filter.since);
    if (read.length === 0) return result(false);
    below = Number(read.at(-1)!.id);
    const rows = read.filter(filter.passes);
    for (let at = 0; at < rows.length; ) {
      if (clock.monotonic() >= end) return result(true, Number(rows[at]!.id));
      const batch = readTogether(rows, at, textOf);
      const matches: { readonly row: SearchRow; readonly excerpt: Excerpt }[] = [];
      const found = (row: SearchRow, text: string, { index, 0: { length } }: RegExpExecArray) =>
        matches.push({ row, excerpt: excerptAt(text, index, index + length) });
      const first = at;
      const outcome = withinTime(REGEX_BATCH_MS, () => {
        for (; at < first + batch.length; at += 1) {
          const text = batch[at - first]!;
          const match = pattern.exec(text);
          if (match !== null) found(rows[at]!, text, match);
        }
      });
      for (const { row, excerpt } of matches) {
        if (repetitions.isRepeated(row)) continue;
        if (hits.length === limit) return result(true);
        hits.push(hitOf(row, { score: 0, excerpt }));
      }
      if ('stopped' in outcome) {
        skipped += 1;
        at += 1;
      }
    }
  }
}

/** Texts from a row on, as many as are held in memory at once. */
function readTogether(rows: readonly SearchRow[], from: number, textOf: SearchParts['textOf']): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (let at = from; at < rows.length && characters < CHARACTERS_AT_ONCE; at += 1) {
    characters += Number(rows[at]!.size);
    texts.push(textOf(rows[at]!));
  }
  return texts;
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'iu');
  } catch {
    // Some are only valid without the flag, such as those that escape what needs no escape.
  }
  try {
    return new RegExp(source, 'i');
  } catch (cause) {
    throw new OllmError('USAGE', `${(cause as Error).message}.`, {
      hint: 'Correct it, or leave out --regex to search for words.',
      cause,
    });
  }
}
