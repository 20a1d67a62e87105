// From a stored line to an event of the catalogue: older formats are taken to today's, and the data is checked, so that
// a fold can trust its types in any journal. An unknown type is not a fault: it is handed on as it is.
import { wrongArgument } from '../errors/arguments.ts';
import { isOllmError } from '../errors/index.ts';
import { FORMAT } from '../journal/format.ts';
import type { SessionEvent } from '../journal/types.ts';
import { isEventType } from './catalogue.ts';
import type { OllmEvent } from './index.ts';
import { UPCASTS, type UpcastTable, upcast } from './upcast/index.ts';
import { validateEvent } from './validate.ts';

/** What a stored event was found to be. */
export type Decoded =
  | { readonly kind: 'known'; readonly event: OllmEvent }
  | { readonly kind: 'unknown'; readonly event: SessionEvent }
  /** The type is known, and the data is not what its schema says. */
  | { readonly kind: 'invalid'; readonly event: SessionEvent; readonly reason: string };

export interface DecodeOptions {
  /** The format of the journal, as session.created names it. */
  readonly format?: number | undefined;
  readonly upcasts?: UpcastTable | undefined;
  /** The format to arrive at. */
  readonly to?: number | undefined;
}

/**
 * Decodes a stored line. Members that the schema does not know stay in `data`. Never throws: the result reports an
 * invalid line.
 *
 * @example
 * const decoded = decodeEvent(line);
 * if (decoded.kind === 'known' && decoded.event.type === 'message.added') show(decoded.event.data.parts);
 */
export function decodeEvent(stored: SessionEvent, options: DecodeOptions = {}): Decoded {
  if (typeof stored !== 'object' || stored === null) throw wrongArgument('decodeEvent', 'stored', 'an event', stored);
  if (options === null) throw wrongArgument('decodeEvent', 'options', 'an object', options);
  const { format = FORMAT, upcasts = UPCASTS, to = FORMAT } = options;
  const fault = faultOfData(stored);
  if (fault !== undefined) return { kind: 'invalid', event: stored, reason: fault };
  const current = format < to ? upcast(stored, { format, table: upcasts, to }) : stored;
  if (!isEventType(current.type)) return { kind: 'unknown', event: stored };
  const [problem] = validateEvent(current.type, current.data);
  if (problem !== undefined) return { kind: 'invalid', event: stored, reason: `${current.type}: ${problem.message}` };
  return { kind: 'known', event: eventOf(stored, current) };
}

/** Why the data of a line cannot be read at all. */
function faultOfData(stored: SessionEvent): string | undefined {
  try {
    void stored.data;
    return undefined;
  } catch (error) {
    if (isOllmError(error, 'JOURNAL_DAMAGED')) return error.message;
    throw error;
  }
}

/** The stored event is one of the catalogue as it is, unless a step changed it. Its data has been checked. */
function eventOf(stored: SessionEvent, current: Pick<SessionEvent, 'type' | 'data'>): OllmEvent {
  if (current === stored) return stored as unknown as OllmEvent;
  const { seq, ts, turn, id } = stored;
  const { type, data } = current;
  return { type, seq, ts, turn, id, data } as unknown as OllmEvent;
}
