// The passages of sessions that answer a search with few hits, as `recall` ranks them: by the words of a long question,
// and by their meaning where the settings name a model for vectors.
import { importedId, parseAddress } from '../../../agents/address.ts';
import { type FoundPlace, hitsAt } from '../../../catalog/search-places.ts';
import type { SearchHit, SearchRequest } from '../../../catalog/search-request.ts';
import { isOllmError } from '../../../errors/index.ts';
import type { App } from '../../app.ts';
import type { FoundPassage } from '../../recall/recall.ts';

interface NearOptions {
  /** The words without their syntax. */
  readonly question: string;
  readonly found: readonly SearchHit[];
  readonly signal?: AbortSignal | undefined;
  /** How long the index of passages is brought up to date. */
  readonly updateMs: number;
}

const LIMIT = 10;
/** A passage with one word of a long question answers another one. */
const LEAST_WORDS = 2;
/** Something is always nearest. */
const NEAREST = 5;
const VECTOR_MS = 3_000;

/**
 * Hits that are not found yet, marked as near. None while the index of passages cannot be used: the search is answered
 * without them.
 *
 * @throws the reason of `signal`
 */
export async function nearPassages(
  app: App,
  request: SearchRequest,
  { question, found, signal, updateMs }: NearOptions,
): Promise<readonly SearchHit[]> {
  const asked = { text: question, limit: LIMIT, scope: { kind: 'session', project: request.project } } as const;
  const { recall } = await import('../../recall/recall.ts');
  const places = await recall(app, asked, { signal, updateMs, vectorMs: VECTOR_MS, waitMs: 0 }).then(
    ({ passages }) => passages.filter(isNear).flatMap(placeOf),
    (error: unknown) => {
      if (isOllmError(error)) return [];
      throw error;
    },
  );
  if (places.length === 0) return [];
  const known = new Set(found.map(({ address }) => address));
  const outcome = await app.catalog.ask((database) =>
    hitsAt(database, request, { clock: app.clock, importedId }, { places, known }),
  );
  return outcome.kind === 'done' ? outcome.value.slice(0, LIMIT - found.length) : [];
}

function isNear({ words, ranks }: FoundPassage): boolean {
  return words.length >= LEAST_WORDS || (ranks.meaning !== undefined && ranks.meaning <= NEAREST);
}

function placeOf({ place, text, score }: FoundPassage): FoundPlace[] {
  const address = parseAddress(place);
  const { agent, id, record } = address ?? {};
  return agent === undefined || id === undefined || record === undefined
    ? []
    : [{ agent, id, key: record, text, score }];
}
