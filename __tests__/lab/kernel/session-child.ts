// A process that keeps sessions on a real disk, to be killed, starved and meddled with. It writes each acknowledgement
// to its standard output, line by line, with a write of its own for each: the parent's ledger. It writes nothing
// earlier. argv: directory, `script` | `write SEED` | `obey`
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isOllmError } from '../../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { openFileStore } from '../../../lib/file-store/file-store.ts';
import type { DurabilityLevel } from '../../../lib/journal/types.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../lib/platform/index.ts';
import { createSession } from '../../../lib/session/create.ts';
import { openSession } from '../../../lib/session/open.ts';
import type { Session } from '../../../lib/session/session.ts';
import { seededRandom } from '../random.ts';
import type { Deed, Statement } from './ledger.ts';

const [directory = '', task = 'script', seed = '1'] = process.argv.slice(2);
const OPTIONS = { log: silentLog };
const store = openFileStore(
  { fileSystem: nodeFileSystem, clock: systemClock, ids: systemIds, process: thisProcess('ollm repl'), log: silentLog },
  { directory },
);
let markers = 0;

switch (task) {
  case 'write':
    await writeForever(seededRandom(Number(seed)));
    break;
  case 'obey':
    await obey();
    break;
  default:
    await script();
}

/** Everything that changes a disk, once. */
async function script(): Promise<void> {
  const notes = await begin('create', 'notes', () => create('notes'));
  await append(notes, 'process', 1);
  await append(notes, 'disk', 2);
  await notes.save({ snapshot: 'now' });
  await append(notes, 'process', 1, 3000);
  await notes.close('exit');

  const torn = await begin('open', 'torn', () => openSession(store, 'torn', OPTIONS));
  await append(torn, 'disk', 1);
  await torn.close('exit');

  await begin('repair', 'bent', () => store.repair('bent'));
  await begin('trash', 'moving', () => store.trash('moving'));
  await begin('restore', 'moving', () => store.restore('moving'));
  const { entry } = await begin('trash', 'leaving', () => store.trash('leaving'));
  await begin('purge', 'leaving', () => store.purge(entry));
  say({ did: 'all', id: 'notes' });
}

/** Appends batches of all sizes at all levels until it is ended. */
async function writeForever(random: () => number): Promise<void> {
  const session = await openNotes();
  for (let count = 1; ; count += 1) {
    await append(session, random() < 0.3 ? 'disk' : 'process', 1 + Math.floor(random() * 3), random() * 20_000);
    if (count % 9 === 0) await session.save({ snapshot: random() < 0.5 ? 'now' : 'when-due' });
  }
}

/** A command a line: `open`, `append LEVEL BYTES`, `again` (the last batch with its ids), `save`, `close`. */
async function obey(): Promise<void> {
  let session: Session | undefined;
  say({ did: 'start', id: 'notes' });
  for await (const line of createInterface({ input: process.stdin })) {
    const [command = '', level = 'disk', bytes = '10'] = line.split(' ');
    try {
      if (command === 'open') {
        session = await openNotes();
      } else if (session === undefined) {
        say({ failed: command, id: 'notes', code: 'NOT_OPEN', message: '', hint: '' });
      } else if (command === 'append') {
        await append(session, level as DurabilityLevel, 1, Number(bytes));
      } else if (command === 'again') {
        await append(session, 'disk', 0);
      } else if (command === 'save') {
        await session.save({ snapshot: 'now' });
        say({ did: 'save', id: 'notes' });
      } else if (command === 'close') {
        await session.close('exit');
        say({ did: 'close', id: 'notes' });
      }
    } catch (error) {
      tell(command, 'notes', error);
    }
  }
}

async function openNotes(): Promise<Promise<Session>> {
  return (await store.has('notes'))
    ? begin('open', 'notes', () => openSession(store, 'notes', OPTIONS))
    : begin('create', 'notes', () => create('notes'));
}

function create(id: string): Promise<Session> {
  return createSession(store, { id, created: { model: 'm', provider: 'p', ollm: '0' } }, OPTIONS);
}

let last: readonly NewOllmEvent[] = [];

/** `count` 0: those of the last call again. */
async function append(session: Session, level: DurabilityLevel, count: number, bytes = 10): Promise<void> {
  if (count > 0) {
    last = Array.from({ length: count }, () => {
      const marker = `m${process.pid}-${++markers}`;
      const text = `${marker} ${'x'.repeat(bytes)}`;
      return {
        type: 'message.added',
        id: marker,
        data: { role: 'user', parts: [{ type: 'text', text }], tokens: { count: 1, method: 'unknown' }, trusted: true },
      } as const;
    });
  }
  const receipts = await session.append(last, { durability: level });
  const events = receipts.map(({ seq, xxh64 }, index) => ({ marker: last[index]?.id ?? '', seq, xxh64 }));
  say({ did: 'append', id: session.id, level, events });
}

async function begin<T>(what: Exclude<Deed, 'append'>, id: string, work: () => Promise<T>): Promise<T> {
  say({ doing: what, id });
  const result = await work();
  say({ did: what, id });
  return result;
}

function tell(what: string, id: string, error: unknown): void {
  if (!isOllmError(error)) throw error;
  say({ failed: what, id, code: error.code, message: error.message, hint: error.hint ?? '' });
}

function say(statement: Statement): void {
  writeSync(1, `${JSON.stringify(statement)}\n`);
}
