// State files and snapshots that a disk has damaged, at every byte: a session resumes as if they were not there, from
// its journal, and no false alarm is raised. What only looks like evidence of lost events is none.
import type { JournalStore } from '../../../lib/journal/types.ts';
import { openSession } from '../../../lib/session/open.ts';
import { summarize } from '../../../lib/session/summarize.ts';
import { memoryWorld, OPTIONS, turnEvents, viewTexts } from '../../session/world.ts';
import { times } from '../../support/times.ts';

type Kind = 'state' | 'snapshot';

const EVERY_BIT = times(1) > 1;

/** A closed session with both files, and facts about it. */
async function closedSession() {
  const { store, create } = memoryWorld();
  const session = await create();
  await session.append(turnEvents(1, 'Where to?', 'To the hills.'));
  await session.save({ snapshot: 'now' });
  await session.close('exit');
  const texts = viewTexts(session);
  const row = (await summarize(store, 'notes')).summary;
  const read = async (kind: Kind) => Buffer.from((await store.readDocument('notes', kind)) ?? '');
  return { store, texts, row, state: await read('state'), snapshot: await read('snapshot') };
}

type Session = Awaited<ReturnType<typeof closedSession>>;

/** Puts damaged bytes in the place of one file and resumes; the other file is not there. */
async function resumesWell({ store, texts, row }: Session, kind: Kind, bytes: Buffer, where: string): Promise<void> {
  // As the store reads it: text that is not UTF-8 is changed.
  await store.writeDocument('notes', kind, bytes.toString());
  await store.removeDocument('notes', kind === 'state' ? 'snapshot' : 'state');
  // A digit of a time may change unnoticed; nothing of this row comes from a damaged file.
  const { startTime, lastActivity, ...summary } = (await summarize(store, 'notes')).summary;
  const { startTime: _, lastActivity: __, ...expected } = row;
  same(where, { ...summary, closed: true }, { ...expected, closed: true });
  const session = await openSession(store, 'notes', OPTIONS);
  same(where, viewTexts(session), texts);
  same(where, session.report.notices, []);
  // As a crash would leave it, so that every opening finds the same: nothing is saved.
  await session.writer.append({ type: 'session.closed', data: { reason: 'exit' } });
  await session.writer.close();
}

function same(where: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect([where, found]).toEqual([where, expected]);
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << bit;
  return copy;
}

/** Few enough openings of one journal that it stays short. */
async function inFreshSessions(cases: Iterable<(session: Session) => Promise<void>>): Promise<void> {
  let session = await closedSession();
  let count = 0;
  for (const each of cases) {
    await each(session);
    count += 1;
    if (count % 20 === 0) session = await closedSession();
  }
}

describe.each<Kind>(['state', 'snapshot'])('a %s file', (kind) => {
  it('cut off at every byte is not used, and causes no alarm', async () => {
    const bytes = (await closedSession())[kind];
    await inFreshSessions(
      (function* () {
        for (let length = 0; length < bytes.length; length += EVERY_BIT ? 1 : 3) {
          yield (session) => resumesWell(session, kind, session[kind].subarray(0, length), `${length} bytes`);
        }
      })(),
    );
  });

  it('with any flipped bit is not used, and causes no alarm', async () => {
    const bytes = (await closedSession())[kind];
    await inFreshSessions(
      (function* () {
        for (let index = 0; index < bytes.length * 8; index += EVERY_BIT ? 1 : 13) {
          const [at, bit] = [index >> 3, index & 7];
          yield (session) => resumesWell(session, kind, flipped(session[kind], at, bit), `byte ${at}, bit ${bit}`);
        }
      })(),
    );
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['zeroed in the middle', (bytes) => Buffer.from(bytes).fill(0, 100, 400)],
    ['zeroed to its end', (bytes) => Buffer.from(bytes).fill(0, 50)],
    ['of only zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['twice in a row', (bytes) => Buffer.concat([bytes, bytes])],
    ['with line ends of a different system', (bytes) => Buffer.from(bytes.toString().replaceAll('\n', '\r\n'))],
    ['formatted by an editor', (bytes) => Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), null, 2))],
    [
      'that is not UTF-8',
      (bytes) => Buffer.concat([bytes.subarray(0, 200), Buffer.from([0xff, 0xfe]), bytes.subarray(200)]),
    ],
    ['that is deep', () => Buffer.from(`${'{"head":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
    ['with a hostile name in it', () => Buffer.from('{"__proto__":{"head":{}},"head":{"__proto__":{"anchor":1}}}\n')],
    ['of a future version', (bytes) => Buffer.from(bytes.toString().replace('"format":4', '"format":5'))],
    ['that is an array', () => Buffer.from('[{"seq":9}]\n')],
  ])('%s is not used, and causes no alarm', async (_what, damage) => {
    const session = await closedSession();
    await resumesWell(session, kind, damage(session[kind]), _what);
    expect(({} as { anchor?: unknown }).anchor).toBeUndefined();
  });

  it('of a different session is not used, and causes no alarm', async () => {
    const other = await otherSession();
    const session = await closedSession();
    await resumesWell(session, kind, Buffer.from((await other.readDocument('other', kind)) ?? ''), 'another session');
  });

  it('ahead of its journal is evidence: it is kept, reported and not used', async () => {
    const { store, create } = memoryWorld();
    const session = await create('long');
    await session.append(turnEvents(1, 'Where to?', 'To the hills.'));
    await session.save({ snapshot: 'now' });
    await session.close('exit');
    const ahead = (await store.readDocument('long', kind))!;
    const { store: shorter, create: createAgain } = memoryWorld();
    await (await createAgain('long')).close('exit');
    await shorter.removeDocument('long', kind === 'state' ? 'snapshot' : 'state');
    await shorter.writeDocument('long', kind, ahead);
    const opened = await openSession(shorter, 'long', OPTIONS);
    const [notice = ''] = opened.report.notices;
    expect(notice).toMatch(/^Events were lost: .* Look for a backup of long\.jsonl\.$/);
    expect(notice).toMatch(/is kept in long\.(state\.)?json\.[\d-]+\.suspect/);
    expect(await shorter.readDocument('long', kind)).toBeUndefined();
    expect(opened.states.summary.turnCount).toBe(0);
    await opened.close('exit');
  });
});

async function otherSession(): Promise<JournalStore> {
  const { store, create } = memoryWorld();
  const session = await create('other');
  await session.append(turnEvents(1, 'Elsewhere?', 'No.'));
  await session.close('exit');
  return store;
}
