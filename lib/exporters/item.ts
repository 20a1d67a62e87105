// What an exporter is given: the events of a session in the order of the journal, and in their places what could not
// be read. Exporters pull one item after the other and keep none, so a journal of any length can be exported.
import type { OllmEvent } from '../events/index.ts';
import type { Damage } from '../journal/types.ts';
import type { Envelope } from '../projections/projection.ts';

/** A place in the journal that could not be read. */
export type DamagedPlace = Pick<Damage, 'kind' | 'offset' | 'length' | 'reason'>;

export type ExportItem =
  | { readonly kind: 'event'; readonly event: OllmEvent }
  /** An event whose type, or whose content, this version does not know. */
  | { readonly kind: 'unknown'; readonly envelope: Envelope }
  | { readonly kind: 'damage'; readonly damage: DamagedPlace };
