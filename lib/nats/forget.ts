// Takes the name of a session out of the bucket of names when nothing of the session is left. A value that is empty, or
// the marker of a deletion, would stay and be read by each list, and an id may say a lot by itself.
import type { KvEntry } from './client.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import { messageFrom } from './messages.ts';
import { generationsOf, recordIn } from './record.ts';

/** Leaves a session that has anything, or that any process has the lease of. */
export async function forgetIfGone(session: NatsSession, id: string): Promise<void> {
  const { names, layout } = session;
  const [record, lease] = await asked(`Cannot look up session ${id}`, () =>
    Promise.all([names.get(layout.recordKey(id)), names.get(layout.leaseKey(id))]),
  );
  if (lease?.operation === 'PUT') return;
  const { suspects = [], ...places } = recordIn(record);
  if (generationsOf(places).length > 0 || suspects.length > 0) return;
  if (await messageFrom(session, layout.subject(id, '*'), 1)) return;
  for (const entry of [record, lease]) if (entry) await removeEntry(session, entry);
}

/** The entry as it was read, and not what took its place. */
async function removeEntry({ streams, layout }: NatsSession, { key, revision }: KvEntry): Promise<void> {
  const filter = `$KV.${layout.bucket}.${key}`;
  await asked(`Cannot remove ${key}`, () => streams.purge(layout.namesStream, { filter, seq: revision + 1 }));
}
