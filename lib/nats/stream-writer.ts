// Opens a journal on the server for writing: takes its lease, reads the necessary part, follows the recovery table, and
// appends `writer.opened`. A fence ends every writer before this one.
import { hash } from 'node:crypto';
import { LINE_FEED } from '../journal/format.ts';
import { type JournalFile, notFound } from '../journal/refusals.ts';
import type { Damage, JournalWriter, OpeningReport, OpenWriterOptions } from '../journal/types.ts';
import { continueJournal, emptyError, planOpening } from '../journal/writing/opening.ts';
import { AppendStream } from './append-stream.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import { fence, removeGeneration, type StorePorts, storeGeneration } from './generations.ts';
import { OBJECT } from './layout.ts';
import { type Lease, takeLease } from './lease.ts';
import { lastMessage } from './messages.ts';
import { changeRecord, type HeldRecord, readRecord } from './record.ts';
import { StreamSource } from './stream-source.ts';

const CHUNK_BYTES = 256 * 1024;

type Cut = Damage & { readonly kind: 'torn-tail' | 'zero-tail' };

/** @throws OllmError as `JournalStore.openWriter` */
export async function openStreamWriter(
  session: NatsSession,
  ports: StorePorts,
  name: JournalFile,
  options: OpenWriterOptions,
): Promise<JournalWriter> {
  const { id } = name;
  if ((await readRecord(session, id)).record.live === undefined) throw notFound(name);
  const lease = await takeLease(session, id, ports.ids.token(), ports);
  try {
    // After the lease, because the session may have been moved meanwhile.
    const held = await readRecord(session, id);
    if (held.record.live === undefined) throw notFound(name);
    return await openHeld(session, ports, { ...name, held, live: held.record.live, lease }, options);
  } catch (error) {
    await lease.close();
    throw error;
  }
}

interface HeldJournal extends JournalFile {
  readonly held: HeldRecord;
  readonly live: string;
  readonly lease: Lease;
}

async function openHeld(
  session: NatsSession,
  ports: StorePorts,
  opening: HeldJournal,
  options: OpenWriterOptions,
): Promise<JournalWriter> {
  const { id, path, lease } = opening;
  const { isLost } = lease;
  const subject = session.layout.subject(id, opening.live);
  // Before any reading: a writer that lost its lease and still runs would append after it.
  const end = await fence(session, ports, { id, path, generation: opening.live });
  if (!end) throw emptyError(opening);
  using source = new StreamSource(session, { subject, ...end });
  const plan = await planOpening(source, opening, options);
  const recovered = plan.cut && (await cutOff(session, ports, opening, source, plan.cut));
  const whole = { id, path, subject, length: end.size, last: end.last, token: ports.ids.token(), isLost };
  const file = recovered?.file ?? new AppendStream(session, whole);
  await endLastLine(file, source, recovered !== undefined);
  return await continueJournal(ports, { id, committer: file, lock: lease }, source, plan, recovered?.report, options);
}

/** A stream is not cut: the bytes before go into a new generation, and those after are kept as an object. */
async function cutOff(
  session: NatsSession,
  ports: StorePorts,
  { id, path, held, live }: HeldJournal,
  source: StreamSource,
  { kind, offset, length }: Cut,
): Promise<{ readonly file: AppendStream; readonly report: NonNullable<OpeningReport['recovered']> }> {
  const torn = Buffer.concat(await Array.fromAsync(bytesOf(source, offset, offset + length)));
  const name = `${id}.${offset}.${hash('sha256', torn).slice(0, 8)}.bin`;
  await asked('Cannot keep the torn end of a journal', () =>
    session.objects.putBlob({ name: OBJECT.quarantined(name) }, torn),
  );
  const generation = await storeGeneration(session, ports, { id, path }, bytesOf(source, 0, offset));
  await changeRecord(session, id, held, { ...held.record, live: generation, change: ports.ids.token() });
  await removeGeneration(session, id, live);
  ports.log.warn(
    { service: 'journal', operation: 'recover', id, kind, offset, length, quarantine: name },
    'Bytes at the end of the journal were not a whole line and went to quarantine.',
  );
  const subject = session.layout.subject(id, generation);
  const tail = await lastMessage(session, subject);
  const start = { id, path, subject, length: offset, last: tail?.sequence ?? 0, token: ports.ids.token() };
  return { file: new AppendStream(session, start), report: { kind, offset, length, quarantine: name } };
}

/** The bytes from one place to another, in chunks. */
export async function* bytesOf(source: StreamSource, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; ) {
    const target = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - position));
    yield target.subarray(0, await source.read(target, position));
    position += target.length;
  }
}

async function endLastLine(file: AppendStream, source: StreamSource, wasCut: boolean): Promise<void> {
  if (wasCut || file.length === 0) return;
  const last = Buffer.alloc(1);
  await source.read(last, file.length - 1);
  if (last[0] !== LINE_FEED) await file.write(Uint8Array.of(LINE_FEED), [1]);
}
