import type { JournalReader, NewEvent } from '../../lib/journal/types.ts';
import { copyEvents } from '../../lib/session/copy-events.ts';
import { readerOf, stored } from '../support/event-list.ts';

async function copied(reader: JournalReader): Promise<NewEvent[]> {
  return (await Array.fromAsync(copyEvents(reader.outcomes()))).flat();
}

describe('copying events into a different journal', () => {
  it('leaves out events about the old file', async () => {
    const events = stored([
      { type: 'session.created', data: { format: 1, sessionId: 'a', model: 'm', provider: 'p', ollm: '0' } },
      { type: 'context.cleared', data: {} },
      { type: 'session.closed', data: { reason: 'exit' } },
      { type: 'writer.opened', data: { epoch: 1, pid: 1, host: 'h', clean: true } },
      { type: 'queue.changed', data: { removed: ['one'] } },
      { type: 'foreign.thing', data: { kept: true }, id: 'key-1', ignorable: true },
    ]);
    expect(await copied(readerOf(events))).toEqual([
      { type: 'context.cleared', data: { at: events[1]!.ts } },
      { type: 'foreign.thing', data: { kept: true, at: events[5]!.ts }, id: 'key-1', ignorable: true },
    ]);
  });

  it('lets references to an event name the same event in the new journal', async () => {
    const events = stored([
      { type: 'session.created', data: {} },
      { type: 'writer.opened', data: {} },
      { type: 'turn.started', data: { input: '1' }, turn: 1 },
      { type: 'turn.ended', data: {}, turn: 1 },
      { type: 'writer.opened', data: {} },
      { type: 'turn.started', data: { input: '2' }, turn: 2 },
      { type: 'compaction.completed', data: { covers: { from: 2, to: 4 }, keptFrom: 5 } },
      { type: 'compaction.undone', data: { seq: 6 } },
      { type: 'branch.moved', data: { head: 4 } },
    ]);
    const copies = await copied(readerOf(events));
    // In the new journal: 1 and 2 are the first turn, 3 begins the second, 4 is the compaction.
    expect(copies.map(({ data }) => data).slice(3)).toMatchObject([
      { covers: { from: 1, to: 2 }, keptFrom: 3 },
      { seq: 4 },
      // It pointed at the opening of a writer; the part before that is the end of the first turn.
      { head: 2 },
    ]);
  });

  it('skips damage and keeps references right after a gap', async () => {
    const before = stored([
      { type: 'session.created', data: {} },
      { type: 'context.cleared', data: {} },
    ]);
    const behind = stored(
      [
        { type: 'turn.started', data: { input: 'x' } },
        { type: 'branch.moved', data: { head: 6 } },
      ],
      { from: 7 },
    );
    const damage = { kind: 'bad-checksum', offset: 20, length: 50, line: 3, reason: 'It does not hold.' } as const;
    const copies = await copied(readerOf([...before, damage, ...behind]));
    expect(copies.map(({ type, data }) => [type, data])).toMatchObject([
      ['context.cleared', {}],
      ['turn.started', { input: 'x' }],
      ['branch.moved', { head: 1 }],
    ]);
  });
});
