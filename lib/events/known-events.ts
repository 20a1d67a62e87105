// The events of a reading that the catalogue knows, one by one. Damage, unknown types and invalid data are left out.
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { Batches, SessionEvent } from '../journal/types.ts';
import { decodeEvent } from './decode.ts';
import type { OllmEvent, OllmEventOf } from './index.ts';

/**
 * `types`: only events of these, so that the data of no other is looked at.
 *
 * @example
 * for await (const event of knownEvents(reader.outcomes({ signal }))) console.log(event.type);
 */
export async function* knownEvents<Type extends OllmEvent['type'] = OllmEvent['type']>(
  batches: Batches<SessionEvent>,
  types?: readonly Type[],
): AsyncGenerator<OllmEventOf<Type>, void, void> {
  const wanted: ReadonlySet<string> | undefined = types && new Set(types);
  for await (const stored of eachEvent(batches)) {
    if (wanted?.has(stored.type) === false) continue;
    const decoded = decodeEvent(stored);
    if (decoded.kind === 'known') yield decoded.event as OllmEventOf<Type>;
  }
}
