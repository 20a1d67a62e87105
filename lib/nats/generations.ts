// Makes and ends generations of a session. One is filled under a subject that no name points at, and gets its name when
// it is whole; what a crash leaves of it is found by `ollm doctor`. One that is moved away gets a fence first, so that
// a writer that lost its lease cannot add to it.
import { OllmError } from '../errors/index.ts';
import type { JournalPorts } from '../journal/files/store-context.ts';
import { OWN_TYPES } from '../journal/format.ts';
import type { JournalFile } from '../journal/refusals.ts';
import type { Beginning } from '../journal/types.ts';
import { beginJournal } from '../journal/writing/opening.ts';
import { AppendStream, lineEnds } from './append-stream.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import { endOf, type JournalMessage, lastMessage } from './messages.ts';
import { Fenced, poisonOf, publish } from './publish.ts';

export type StorePorts = Pick<JournalPorts, 'clock' | 'ids' | 'process' | 'log'>;

/** A writer that is to be fenced may be quicker a few times. */
const FENCE_ATTEMPTS = 50;

interface NewGeneration extends JournalFile {
  readonly generation: string;
  readonly isUnnamed: boolean;
}

/** The end of a generation that has nothing yet. */
export function emptyGeneration(session: NatsSession, ports: StorePorts, place: NewGeneration): AppendStream {
  const { id, path, generation, isUnnamed } = place;
  const subject = session.layout.subject(id, generation);
  return new AppendStream(session, { id, path, subject, length: 0, last: 0, isUnnamed, token: ports.ids.token() });
}

/** Fills a generation that has no name yet, to its last line. Returns its name. */
export async function fillGeneration(
  session: NatsSession,
  ports: StorePorts,
  { id, path }: JournalFile,
  { created, fill, seal }: Beginning,
): Promise<string> {
  const generation = ports.ids.token();
  return orRemoved(session, id, generation, async () => {
    const file = emptyGeneration(session, ports, { id, path, generation, isUnnamed: true });
    const writer = await beginJournal(ports, { id, committer: file, lock: { close() {} } }, { created, seal });
    try {
      await fill(writer);
      await writer.append({ type: OWN_TYPES.closed, data: { reason: 'exit' } }, { durability: 'disk' });
    } finally {
      await writer.close();
    }
    return generation;
  });
}

/** Stores bytes as they are as a generation that has no name yet. Returns its name. */
export async function storeGeneration(
  session: NatsSession,
  ports: StorePorts,
  { id, path }: JournalFile,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  const generation = ports.ids.token();
  return orRemoved(session, id, generation, async () => {
    const file = emptyGeneration(session, ports, { id, path, generation, isUnnamed: true });
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of bytes) {
      const joined = Buffer.concat([rest, chunk]);
      // Bytes after the last line end wait for their own end, as far as a message can hold them.
      const end = joined.lastIndexOf(0x0a) + 1 || (joined.length > session.maxPayload ? joined.length : 0);
      if (end > 0) await file.write(joined.subarray(0, end), [...lineEnds(joined.subarray(0, end))]);
      rest = joined.subarray(end);
    }
    if (rest.length > 0) await file.write(rest, [rest.length]);
    return generation;
  });
}

async function orRemoved(
  session: NatsSession,
  id: string,
  generation: string,
  make: () => Promise<string>,
): Promise<string> {
  try {
    return await make();
  } catch (error) {
    // The first error is the one that the caller must know.
    await removeGeneration(session, id, generation).catch(() => undefined);
    throw error;
  }
}

/** The end of a generation that no writer of before can add to. */
interface FencedEnd {
  readonly size: number;
  /** The sequence of the fence. */
  readonly last: number;
  /** The message before it. */
  readonly tail: JournalMessage;
}

/** Keeps every writer of a generation from adding to it. Undefined if it has no message. */
export async function fence(
  session: NatsSession,
  ports: StorePorts,
  { id, path, generation }: Pick<NewGeneration, 'id' | 'path' | 'generation'>,
): Promise<FencedEnd | undefined> {
  const subject = session.layout.subject(id, generation);
  for (let attempt = 1; ; attempt += 1) {
    const tail = await lastMessage(session, subject);
    if (!tail) return undefined;
    const offset = endOf(tail);
    const token = `${ports.ids.token()}.fence`;
    try {
      const nothing = { subject, expected: tail.sequence, offset, bytes: new Uint8Array(), id: token };
      return { size: offset, last: await publish(session, nothing), tail };
    } catch (error) {
      // A concurrent writer was quicker: its line counts.
      if (!(error instanceof Fenced)) throw poisonOf(error, { id, path });
      if (attempt === FENCE_ATTEMPTS) throw busyError({ id, path });
    }
  }
}

function busyError({ id, path }: JournalFile): OllmError {
  const message = `Session ${id} is being written by a process that lost its lease and has not noticed yet.`;
  const hint = 'It notices within ten seconds. Try again then.';
  return new OllmError('JOURNAL_LOCKED', message, { hint, data: { id, path } });
}

/** Removes the messages of a generation. */
export async function removeGeneration(session: NatsSession, id: string, generation: string): Promise<void> {
  const filter = session.layout.subject(id, generation);
  await asked(`Cannot remove a generation of ${id}`, () => session.streams.purge(session.layout.stream, { filter }));
}
