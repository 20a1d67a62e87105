import { firstValueFrom, lastValueFrom, take, toArray } from 'rxjs';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { countingIds } from '../../lib/platform/ids.ts';
import { silentLog } from '../../lib/platform/log.ts';
import { thisProcess } from '../../lib/platform/processes/process-info.ts';
import { events$, liveJournal, project, watch$ } from '../../lib/projections/live.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const ID = 'lively';

async function journalInMemory() {
  const store = openMemoryStore({
    clock: manualClock(),
    ids: countingIds(),
    log: silentLog,
    process: thisProcess('a test'),
  });
  const writer = await store.create(ID, event.created({ sessionId: ID }).data);
  return { store, writer, openReader: () => store.openReader(ID) };
}

describe('a live journal', () => {
  it('shows stored events, then new ones, each once and in order', async () => {
    const { writer, openReader } = await journalInMemory();
    await writer.append([event.said('user', 'stored'), event.said('assistant', 'stored too')]);
    const seen: number[] = [];
    const subscription = liveJournal({ openReader, writer }).events$.subscribe(({ seq }) => seen.push(seq));
    for (let index = 0; index < 20; index++) await writer.append(event.said('user', `live ${index}`));
    subscription.unsubscribe();
    await writer.append(event.said('user', 'without a listener'));
    expect(seen).toEqual(Array.from({ length: 23 }, (_, seq) => seq));
    await writer.close();
  });

  it('is folded event by event to the state that a replay gives', async () => {
    const { writer, openReader } = await journalInMemory();
    await writer.append(event.said('user', 'before'));
    const journal = liveJournal({ openReader, writer });
    const states = firstValueFrom(journal.events$.pipe(project(sessionFold), take(4), toArray()));
    await writer.append([event.said('assistant', 'live'), event.said('user', 'again')]);
    const last = (await states).at(-1);
    expect(last).toEqual((await replay(openReader(), { session: sessionFold })).states.session);
    await writer.close();
  });

  it('gives each subscriber all events', async () => {
    const { writer, openReader } = await journalInMemory();
    await writer.append(event.said('user', 'one'));
    const source = events$({ openReader, writer });
    const [first, second] = await Promise.all([
      firstValueFrom(source.pipe(take(2), toArray())),
      firstValueFrom(source.pipe(take(2), toArray())),
    ]);
    expect(first.map(({ seq }) => seq)).toEqual(second.map(({ seq }) => seq));
    await writer.close();
  });

  it('ends after the stored events if no process writes, and reports damage', async () => {
    const list = stored([event.created(), event.said('user', 'one')]);
    const damage = { kind: 'not-json', offset: 10, length: 5, line: 2, reason: 'no JSON' } as const;
    const found: unknown[] = [];
    const source = events$({
      openReader: () => readerOf([list[0]!, damage, list[1]!]),
      onDamage: (it) => found.push(it),
    });
    expect(await lastValueFrom(source.pipe(toArray()))).toEqual(list);
    expect(found).toEqual([damage]);
  });

  it('shows an event once that it reads and then hears of', async () => {
    const list = stored([event.created(), event.said('user', 'one'), event.said('user', 'two')]);
    let tell: (events: readonly StoredEvent[]) => void = () => {};
    const writer = {
      subscribe(listener: typeof tell) {
        tell = listener;
        return () => {};
      },
    };
    const seen = firstValueFrom(
      events$({ openReader: () => readerOf(list.slice(0, 2)), writer }).pipe(take(3), toArray()),
    );
    tell(list.slice(1));
    expect((await seen).map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });

  it('leaves no listener if it has nothing to read', async () => {
    const listeners = new Set<unknown>();
    const writer = {
      subscribe(listener: unknown) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const { store } = await journalInMemory();
    const missing = events$({ openReader: () => store.openReader('missing'), writer });
    await expect(lastValueFrom(missing)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(listeners.size).toBe(0);
  });

  it('passes on an error of the reader', async () => {
    const failing = {
      ...readerOf([]),
      outcomes: () => {
        throw new Error('gone');
      },
    };
    await expect(firstValueFrom(events$({ openReader: () => failing }))).rejects.toThrow('gone');
  });
});

describe('watch$', () => {
  it('follows a journal that a different process writes until it is stopped', async () => {
    const { writer, openReader } = await journalInMemory();
    const stop = new AbortController();
    const reader = openReader();
    const outcomes = lastValueFrom(watch$(reader, stop.signal).pipe(take(2), toArray()));
    await writer.append(event.said('user', 'seen'));
    expect((await outcomes).map((outcome) => outcome.kind === 'event' && outcome.event.seq)).toEqual([0, 1]);
    stop.abort();
    await writer.close();
    reader.close();
  });
});
