import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Agent } from '../../lib/agents/agent.ts';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { importSession } from '../../lib/hub/import-session.ts';
import { ImportedJournal, type ImportWork } from '../../lib/hub/imported-journal.ts';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { countingIds, manualClock, nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { eventsOf } from '../session/world.ts';
import { createTree } from '../support/tree.ts';
import { small } from './small-agent.ts';

const ID = 'small-s';
const line = (text: string, more: object = {}): string => `${JSON.stringify({ text, ...more })}\n`;
const noted = { type: 'run.output', data: { run: 'r', stream: 'stderr', text: 'ours' }, ignorable: true } as const;

describe('the open journal of an import', () => {
  it("grows with its source, between events of ollm's own, and is closed once", async () => {
    using world = journalWorld(line('a'));
    const journal = await world.open();
    expect(await journal.grow()).toMatchObject({ kind: 'same', events: 0 });
    await journal.append([noted]);
    appendFileSync(world.path, line('b', { back: true }) + line('c').slice(0, 5));
    expect(await journal.grow()).toMatchObject({ kind: 'grown', events: 2 });
    await journal.append([noted]);
    appendFileSync(world.path, line('c').slice(5));
    expect(await journal.grow()).toMatchObject({ kind: 'grown', events: 1 });
    await journal.append([{ type: 'session.closed', data: { reason: 'exit' } }]);
    await journal.writer.close();
    const events = await world.events();
    const types = events.map(({ type }) => type).filter((type) => type !== 'source.kept' && type !== 'writer.opened');
    const [ours, said] = ['run.output', 'message.added'];
    const before = ['session.created', said, 'session.closed'];
    expect(types).toEqual([...before, ours, said, 'branch.moved', ours, said, 'session.closed']);
    const moved = events.find(({ type }) => type === 'branch.moved')!;
    expect(events[moved.data.head as number]?.data).toMatchObject({ parts: [{ text: '2 b' }] });
    expect(await world.import()).toMatchObject({ kind: 'unchanged' });
  });

  it('has the events of one import of the whole source, however the source grew', async () => {
    const record = fc.record(
      { text: fc.string(), back: fc.constantFrom(true, 'first'), output: fc.string() },
      { requiredKeys: ['text'] },
    );
    const law = fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.constantFrom(true, false),
      async (records, cuts, keepsSource) => {
        const all = Buffer.from(records.map(({ text, ...more }) => line(text, more)).join(''));
        const first = all.indexOf('\n') + 1;
        const places = cuts.map((cut) => first + (cut % (all.length - first + 1))).sort((a, b) => a - b);
        using world = journalWorld(all.subarray(0, first), { keepsSource });
        using whole = journalWorld(all, { keepsSource });
        const journal = await world.open();
        const steps: Promise<unknown>[] = [];
        for (const [index, place] of [...places, all.length].entries()) {
          appendFileSync(world.path, all.subarray(places[index - 1] ?? first, place));
          // Growing and appending wait for each other, in either order.
          if (place % 2 === 0) steps.push(journal.append([noted]));
          steps.push(journal.grow(), journal.append([noted]));
          if (place % 3 === 0) await steps.at(-1);
        }
        await Promise.all(steps);
        await journal.grow();
        await journal.writer.close();
        await whole.import();
        expect(meaningOf(await world.events())).toEqual(meaningOf(await whole.events()));
      },
    );
    await fc.assert(law, { numRuns: 100 });
  });

  it('begins without its source, and reads it when it comes', async () => {
    using world = journalWorld('');
    const writer = await world.work.store.create(ID, {
      ...{ model: '', provider: '', ollm: '0', imported: true },
      origin: { agent: 'small', path: world.path, sessionId: 's', address: 'small:s' },
    });
    const journal = new ImportedJournal(world.work, writer, { parts: [], stored: [writer.head.seq] });
    expect(await journal.grow()).toMatchObject({ events: 0 });
    await journal.append([noted]);
    writeFileSync(world.path, line('a'));
    expect(await journal.grow()).toMatchObject({ kind: 'grown', events: 1 });
    await journal.append([{ type: 'session.closed', data: { reason: 'exit' } }]);
    await writer.close();
    appendFileSync(world.path, line('b'));
    expect(await world.import()).toMatchObject({ kind: 'grown', events: 1 });
    expect(textsOf(await world.events())).toEqual(['1 a', '2 b']);
  });

  it('keeps its events if the source is emptied, or contradicts them', async () => {
    using world = journalWorld(line('a') + line('b'));
    const journal = await world.open();
    truncateSync(world.path, 0);
    expect(await journal.grow()).toMatchObject({ kind: 'shrunk', events: 0 });
    writeFileSync(world.path, line('x') + line('y') + line('z'));
    expect(await journal.grow()).toMatchObject({ kind: 'different', events: 0 });
    await journal.append([noted]);
    await journal.writer.close();
    expect(textsOf(await world.events())).toEqual(['1 a', '2 b']);
  });
});

function journalWorld(content: string | Uint8Array, { keepsSource = true } = {}) {
  const tree = createTree({ s: content });
  const path = join(tree.root, 's');
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  const store = openMemoryStore(ports);
  const work: ImportWork = {
    store,
    files: { fileSystem: nodeFileSystem, uid: process.getuid?.() },
    keepsSource,
    keepsOutputs: true,
    agent: small as Agent,
    source: { agent: 'small', id: 's', path },
    id: ID,
    address: 'small:s',
  };
  const world = {
    path,
    work,
    import: () => importSession(work.agent, work.source, work),
    open: async (): Promise<ImportedJournal> => {
      await world.import();
      return ImportedJournal.open(work);
    },
    events: () => eventsOf(store, ID),
    [Symbol.dispose]: () => tree[Symbol.dispose](),
  };
  return world;
}

function textsOf(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, data }) =>
    type === 'message.added' ? [String((data.parts as { text?: string }[])[0]?.text)] : [],
  );
}

/** The events of the source, without members that depend on their place in the journal. */
function meaningOf(events: readonly StoredEvent[]): unknown[] {
  const imported = events.filter(({ data }) => data.origin !== undefined);
  const numbers = new Map(imported.map(({ seq }, index) => [seq, index]));
  return imported.map(({ type, turn, data: { previous: _, origin, ...rest } }) => {
    const place = type === 'session.created' ? undefined : origin;
    return [type, turn, place, 'head' in rest ? { ...rest, head: numbers.get(rest.head as number) } : rest];
  });
}
