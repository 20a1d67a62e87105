// Whether a generation without a name is what a crash left, or a session whose name was lost. A process takes the lease
// of a session before it stores anything of it, so a bucket of names that has neither a name nor a lease of a session,
// or that is younger than the journals, is not the one that they were made with.
import { OllmError } from '../errors/index.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import { idOfKey, LEASES, RECORDS } from './layout.ts';

/** Why the names of these generations may have been lost, as a sentence; undefined if nothing speaks for it. */
export async function problemOfNames(
  session: NatsSession,
  unnamed: readonly { readonly id: string }[],
): Promise<string | undefined> {
  if (unnamed.length === 0) return undefined;
  const { stream, namesStream } = session.layout;
  const [journals, names] = await asked('Cannot look up the names', () =>
    Promise.all([session.streams.info(stream), session.streams.info(namesStream)]),
  );
  if (names.state.messages === 0) return `The names may be lost: ${namesStream} is empty, and ${stream} has journals.`;
  if (Date.parse(names.created ?? '') > Date.parse(journals.state.first_ts ?? '')) {
    return `Names may be lost: ${namesStream} is younger than the first journal in ${stream}.`;
  }
  const known = await knownIds(session);
  const unknown = unnamed.find(({ id }) => !known.has(id));
  return unknown && `Names may be lost: ${stream} has a journal of ${unknown.id}, which ${namesStream} never had.`;
}

export function namesInDoubt({ layout: { namesStream } }: NatsSession, problem: string): OllmError {
  return new OllmError('STORE_NOT_READY', problem, {
    hint: `Nothing was removed. Bring ${namesStream} back from a copy first, with "nats stream restore".`,
    data: { stream: namesStream },
  });
}

/** Includes removed ones: a bucket keeps a marker of each. */
async function knownIds({ names }: NatsSession): Promise<Set<string>> {
  const ids = new Set<string>();
  await asked('Cannot look up the names', async () => {
    for (const key of [RECORDS, LEASES]) {
      for await (const entry of await names.history({ key })) ids.add(idOfKey(entry.key));
    }
  });
  return ids;
}
