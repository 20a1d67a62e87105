// Reading a journal back: verify, read and replay, beside JSON.parse of each line and packages that read such lines;
// for a session of 20 MB, which is a long one.
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { budgetFold } from '../../lib/projections/budget.ts';
import { contextFold } from '../../lib/projections/context.ts';
import { loopFold } from '../../lib/projections/loop.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { viewFold } from '../../lib/projections/view.ts';
import type { Case } from '../case.ts';
import { parseEachLine } from '../floors.ts';
import { measure, milliseconds, type Timed } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { openStore, writeJournal } from '../sessions.ts';

const FOLDS = [
  [sessionFold, 0.7],
  [viewFold, 0.7],
  [summaryFold, 1],
  [budgetFold, 1],
  [loopFold, 1],
  [contextFold, 1],
] as const;

export const run: Case = async function* ({ size, directory, progress }) {
  const split2 = (await loadPeer<{ default: (map: (line: string) => unknown) => Duplex }>('split2'))?.default;
  const ndjson = (await loadPeer<{ default: { parse(): Duplex } }>('ndjson'))?.default;
  for (const [name, peer] of Object.entries({ split2, ndjson })) if (!peer) yield missingPeer(name);
  const store = openStore(directory);

  const id = 'journal';
  progress('writing the journal');
  const { path, bytes, events } = await writeJournal(directory, id, { bytes: size(20e6, 1e5) });
  const name = `${events.toLocaleString('en')} events`;
  const rate =
    (work: () => unknown): Timed =>
    async () =>
      bytes / 1e3 / (await milliseconds(work));
  const parsing = { name: 'JSON.parse of each line', run: rate(() => parseEachLine(path)) };
  const streamed = (parser: () => Duplex) =>
    rate(() =>
      pipeline(createReadStream(path), parser(), async (values) => {
        for await (const value of values) void value;
      }),
    );
  const withReader = (use: (reader: ReturnType<typeof store.openReader>) => Promise<unknown>) =>
    rate(async () => {
      const reader = store.openReader(id);
      await use(reader);
      reader.close();
    });
  progress(`verifying ${name}`);
  yield* await measure({
    what: `verify ${name}`,
    unit: 'MB/s',
    subject: withReader(async (reader) => {
      if ((await reader.verify()).damaged > 0) throw new Error(`${path} is damaged`);
    }),
    against: [
      { ...parsing, goal: { atLeast: 3 } },
      ...(ndjson ? [{ name: 'ndjson', goal: { atLeast: 10 }, run: streamed(() => ndjson.parse()) }] : []),
    ],
  });
  progress(`reading ${name}`);
  yield* await measure({
    what: `read ${name}, parsed`,
    unit: 'MB/s',
    subject: withReader(async (reader) => {
      for (const outcome of (await Array.fromAsync(reader.outcomes())).flat())
        if (outcome.kind === 'event') void outcome.event.data;
    }),
    against: [
      { ...parsing, goal: { atLeast: 0.8 } },
      ...(ndjson ? [{ name: 'ndjson', goal: { atLeast: 2 }, run: streamed(() => ndjson.parse()) }] : []),
      ...(split2 ? [{ name: 'split2', goal: { atLeast: 2 }, run: streamed(() => split2(JSON.parse)) }] : []),
    ],
  });
  for (const [fold, atLeast] of FOLDS) {
    progress(`replaying ${name} to ${fold.name}`);
    yield* await measure({
      what: `replay ${name} to ${fold.name}`,
      unit: 'MB/s',
      subject: withReader(async (reader) => await replay(reader, { state: fold as Fold<unknown> })),
      against: [{ ...parsing, goal: { atLeast } }],
    });
  }
};
