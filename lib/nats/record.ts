// The entry of a session in the bucket of names: its live generation, those in the archive and those in the trash. A
// single entry has all of them, so that one compare-and-set moves a session as a whole.
import { isOllmError, OllmError } from '../errors/index.ts';
import type { KvEntry } from './client.ts';
import { compareAndSet } from './compare-and-set.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';

export interface SessionRecord {
  /** The generation that readers and writers use; undefined while the session is not there. */
  readonly live?: string | undefined;
  readonly archived: readonly { readonly name: string; readonly generation: string }[];
  readonly trash: readonly {
    readonly entry: string;
    readonly generation: string;
    readonly bytes: number;
    /** When, in milliseconds since 1970, by the clock of the server. */
    readonly trashedMs: number;
    readonly suspects?: readonly string[] | undefined;
  }[];
  /** Documents that were set aside. They go with their journal. */
  readonly suspects?: readonly string[] | undefined;
  /** A token of the last change. */
  readonly change: string;
}

export interface HeldRecord {
  readonly record: SessionRecord;
  /** The revision for the comparison; 0 if there is no entry. */
  readonly revision: number;
}

const NOTHING: SessionRecord = { archived: [], trash: [], change: '' };

export async function readRecord({ names, layout }: NatsSession, id: string): Promise<HeldRecord> {
  const key = layout.recordKey(id);
  const entry = await asked(`Cannot look up session ${id}`, () => names.get(key));
  return { record: recordIn(entry), revision: entry?.revision ?? 0 };
}

export function recordIn(entry: Pick<KvEntry, 'operation' | 'value'> | null): SessionRecord {
  if (entry?.operation !== 'PUT') return NOTHING;
  return { ...NOTHING, ...(JSON.parse(Buffer.from(entry.value).toString()) as Partial<SessionRecord>) };
}

/** Every generation that a record names. */
export function generationsOf(record: Pick<SessionRecord, 'live' | 'archived' | 'trash'> | undefined): string[] {
  if (!record) return [];
  const { live, archived, trash } = record;
  return [...(live === undefined ? [] : [live]), ...[...archived, ...trash].map(({ generation }) => generation)];
}

/**
 * Stores a record if no other process changed it since it was read. `change` is a token that no other change has: an
 * answer that does not come is looked up by it.
 * @throws OllmError JOURNAL_LOCKED: another process changed it
 */
export async function changeRecord(
  session: NatsSession,
  id: string,
  { revision }: Pick<HeldRecord, 'revision'>,
  record: SessionRecord,
): Promise<HeldRecord> {
  const set = await compareAndSet(session, {
    key: session.layout.recordKey(id),
    value: Buffer.from(JSON.stringify(record)),
    revision,
    isOurs: (entry) => recordIn(entry).change === record.change,
  });
  if (set !== undefined) return { record, revision: set };
  throw new OllmError('JOURNAL_LOCKED', `Session ${id} was moved or replaced by another process meanwhile.`, {
    hint: 'Look at it with "ollm list", and try again.',
    data: { id },
  });
}

/** Changes a record that no lease guards, as often as another process is quicker. */
export async function updateRecord(
  session: NatsSession,
  id: string,
  change: (record: SessionRecord) => SessionRecord,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const held = await readRecord(session, id);
    try {
      await changeRecord(session, id, held, change(held.record));
      return;
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isOllmError(error, 'JOURNAL_LOCKED')) throw error;
    }
  }
}

const MOST_ATTEMPTS = 10;
