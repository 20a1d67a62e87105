// The events of a message, by the part after `#` in its address: the agent's own id of a record, which may give several
// events, or else the number of one event.
import { OllmError } from '../../../errors/index.ts';
import { eachEvent } from '../../../journal/reading/outcomes.ts';
import type { EventReader, SessionEvent } from '../../../journal/types.ts';

/** seq of the first and the last event. */
interface EventRange {
  readonly from: number;
  readonly to: number;
}

/** @throws OllmError SEQ_NOT_FOUND */
export async function seqsOf(reader: EventReader, key: string, signal?: AbortSignal): Promise<EventRange> {
  let numbered: EventRange | undefined;
  let recorded: EventRange | undefined;
  for await (const event of eachEvent(reader.outcomes({ signal }))) {
    const { seq } = event;
    if (recordOf(event) === key) recorded = { from: recorded?.from ?? seq, to: seq };
    else if (String(seq) === key) numbered = { from: seq, to: seq };
    // The events of a record are side by side.
    else if (recorded !== undefined) return recorded;
  }
  const range = recorded ?? numbered;
  if (range !== undefined) return range;
  throw new OllmError('SEQ_NOT_FOUND', `${reader.id} has no message ${JSON.stringify(key)}.`, {
    hint: `"ollm tail ${reader.id}" shows what there is.`,
    data: { id: reader.id, key },
  });
}

function recordOf({ data }: SessionEvent): unknown {
  return (data.origin as { readonly record?: unknown } | undefined)?.record;
}
