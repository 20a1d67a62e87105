// Hits of a search that something else found, such as passages that a question finds: messages by their places, as far
// as the search asks for them.
import type { DatabaseSync } from 'node:sqlite';
import { readQuery } from '../ranking/words.ts';
import { excerptAround, holdsAll } from './hit-excerpt.ts';
import { withoutSyntax } from './query.ts';
import { searchParts } from './search-filter.ts';
import { formsOf } from './search-near.ts';
import type { SearchHit, SearchLimits, SearchRequest } from './search-request.ts';
import { hitOf, MESSAGE } from './search-rows.ts';

/** A part of a message, and how well it answers. */
export interface FoundPlace {
  readonly agent: string;
  readonly id: string;
  /** The key of the message in its address. */
  readonly key: string;
  readonly text: string;
  readonly score: number;
}

const AT = `
  ${MESSAGE} WHERE m.session IN (SELECT number FROM sessions WHERE agent = ? AND id = ?)
  AND (m.key = ?3 OR (m.key IS NULL AND m.seq = CAST(?3 AS INTEGER))) AND m.kind IN ('text', 'output') ORDER BY m.id`;

/** Hits in the order of the places, marked as near; each message once, and none of `known`, which are addresses. */
export function hitsAt(
  database: DatabaseSync,
  request: SearchRequest,
  limits: SearchLimits,
  { places, known }: { readonly places: readonly FoundPlace[]; readonly known: ReadonlySet<string> },
): readonly SearchHit[] {
  const { filter, repetitions } = searchParts(database, request, limits);
  const { text, without } = withoutSyntax(request.text);
  const terms = readQuery(text).terms.flatMap(({ shown, stem }, formOf) =>
    formsOf(shown, stem).map((term) => ({ ...term, formOf })),
  );
  const rowAt = database.prepare(AT);
  const seen = new Set(known);
  return places.flatMap((place) => {
    const row = rowAt.get(place.agent, place.id, place.key);
    if (row === undefined || !filter.passes(row) || repetitions.isRepeated(row)) return [];
    if (without.some((term) => holdsAll(place.text, [term]))) return [];
    const hit = hitOf(row, { score: place.score, excerpt: excerptAround(place.text, terms) });
    if (seen.has(hit.address)) return [];
    seen.add(hit.address);
    return [{ ...hit, isNear: true }];
  });
}
