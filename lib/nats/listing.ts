// Lists journals with their sizes and times: the names from their bucket, the rest from the last message of each
// subject. The store remembers the result, so that the next list reads only later messages.
import type { JournalFileInfo } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import { headersOf } from './headers.ts';
import { idOfKey, parseSubject, RECORDS } from './layout.ts';
import { lastMessage, offsetIn } from './messages.ts';
import { storedNsIn } from './pull.ts';
import { generationsOf, recordIn, type SessionRecord } from './record.ts';

interface LastOfSubject {
  readonly bytes: number;
  readonly storedNs: bigint;
  readonly sequence: number;
}

/** Follows the stream of one store. */
export class Listing {
  readonly #last = new Map<string, LastOfSubject>();
  #seen = 0;
  readonly #reading = new Lanes(1);

  /** Every journal that has a name, sorted by id. */
  async journals(session: NatsSession): Promise<JournalFileInfo[]> {
    const records = await allRecords(session);
    await this.#catchUp(session);
    const journals: JournalFileInfo[] = [];
    for (const [id, { live }] of records) {
      const last = live === undefined ? undefined : this.#last.get(session.layout.subject(id, live));
      if (live === undefined || last === undefined) continue;
      journals.push({
        id,
        isOrdinary: true,
        bytes: last.bytes,
        modifiedMs: Number(last.storedNs / 1_000_000n),
        inode: BigInt(`0x0${live.slice(0, 15).replace(/[^0-9a-f]/g, '')}`),
        changedNs: last.storedNs,
      });
    }
    return journals.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** The ids of all journals that have a name: only the names are requested. */
  async ids(session: NatsSession): Promise<string[]> {
    const records = await allRecords(session);
    return [...records].flatMap(([id, { live }]) => (live === undefined ? [] : [id])).sort();
  }

  #catchUp(session: NatsSession): Promise<void> {
    return this.#reading.run(() => this.#readOn(session));
  }

  /** A pass over the headers: the last message of each subject at first, then all later ones. */
  async #readOn(session: NatsSession): Promise<void> {
    const { state } = await asked('Cannot list the sessions', () => session.streams.info(session.layout.stream));
    if (state.messages === 0 || state.last_seq <= this.#seen) return;
    for await (const message of headersOf(session, this.#seen === 0 ? 0 : this.#seen + 1)) {
      const { subject, sequence, headers } = message;
      const bytes = offsetIn(headers) + Number(headers?.get('Nats-Msg-Size') || 0);
      this.#last.set(subject, { bytes, storedNs: storedNsIn(message), sequence });
    }
    this.#seen = state.last_seq;
  }

  /** Generations that have messages and that no record names: left by a crash, or being made now. */
  async unnamed(
    session: NatsSession,
  ): Promise<{ readonly id: string; readonly generation: string; readonly bytes: number }[]> {
    await this.#catchUp(session);
    const records = await allRecords(session);
    const unnamed: { readonly id: string; readonly generation: string; readonly bytes: number }[] = [];
    for (const [subject, { bytes }] of this.#last) {
      const { id, generation } = parseSubject(subject);
      if (generationsOf(records.get(id)).includes(generation)) continue;
      // A stream does not tell that messages were removed.
      if (await lastMessage(session, subject)) unnamed.push({ id, generation, bytes });
      else this.#last.delete(subject);
    }
    return unnamed;
  }
}

export async function allRecords(session: NatsSession): Promise<Map<string, SessionRecord>> {
  const records = new Map<string, SessionRecord>();
  await asked('Cannot list the sessions', async () => {
    for await (const entry of await session.names.history({ key: RECORDS })) {
      records.set(idOfKey(entry.key), recordIn(entry));
    }
  });
  return records;
}
