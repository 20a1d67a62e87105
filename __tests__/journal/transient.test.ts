import { replay } from '../../lib/projections/replay.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { memoryWorld, turnEvents } from '../session/world.ts';

describe('reading events that are good only until the next one', () => {
  it('finds the same, through memory that is used again', async () => {
    const { store, reader } = await longSession();
    const seen = (transient: boolean) =>
      Array.from(reader.outcomes({ transient }), (outcome) => {
        if (outcome.kind === 'damage') throw new Error(outcome.damage.reason);
        const { seq, type, data, prev, xxh64, offset, end, raw } = outcome.event;
        return JSON.stringify({ seq, type, data, prev, xxh64, offset, end, raw: Buffer.from(raw).toString() });
      });
    expect(seen(true)).toEqual(seen(false));

    const buffers = (transient: boolean) =>
      new Set(
        Array.from(reader.outcomes({ transient }), (outcome) => outcome.kind === 'event' && outcome.event.raw.buffer),
      ).size;
    expect(buffers(true)).toBe(1);
    expect(buffers(false)).toBeGreaterThan(2);
    reader.close();
    expect(store.holder('notes')).toBeUndefined();
  });

  it('leaves a replay on the line that it ended with, wherever that is', async () => {
    const { reader } = await longSession();
    const folds = { summary: summaryFold };
    for (const at of [undefined, { seq: 1 }, { seq: 101 }, { seq: 203 }, { seq: 350 }]) {
      const { anchor, states } = replay(reader, folds, { at });
      const replayer = createReplayer(folds);
      for (const outcome of reader.outcomes()) {
        if (outcome.kind === 'event' && outcome.event.seq <= (at?.seq ?? Number.POSITIVE_INFINITY))
          replayer.see(outcome.event);
      }
      expect({ anchor, states }).toEqual({ anchor: replayer.anchor, states: replayer.states });
    }
    reader.close();
  });
});

/** Of some MB, so that it takes several chunks. */
async function longSession() {
  const { store, create } = memoryWorld();
  const session = await create();
  for (let turn = 1; turn <= 100; turn += 1) {
    await session.append(turnEvents(turn, `${turn} `.repeat(5_000), `${turn}. `.repeat(5_000)));
  }
  await session.close('exit');
  return { store, reader: store.openReader('notes') };
}
