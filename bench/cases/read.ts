// Reading a journal back: verify, read and replay, compared with JSON.parse of each line and packages that read such
// lines; for a session of 20 MB, which is a long one.
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { JournalReader } from '../../lib/journal/types.ts';
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
import { milliseconds, type Timed } from '../measure.ts';
import { loadPeer } from '../peers.ts';
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
  const store = openStore(directory);
  progress('writing the journal');
  const { path, bytes, events } = await writeJournal(directory, 'journal', { bytes: size(20e6, 1e5) });
  const name = `${events.toLocaleString('en')} events`;
  const unit = 'MB/s';
  const rate = (work: () => unknown): Timed => {
    return async () => bytes / 1e3 / (await milliseconds(work));
  };
  const withReader = (use: (reader: JournalReader) => Promise<unknown>) =>
    rate(async () => {
      const reader = store.openReader('journal');
      await use(reader);
      reader.close();
    });
  const streamed = (parser: () => Duplex) =>
    rate(() =>
      pipeline(createReadStream(path), parser(), async (values) => {
        for await (const value of values) void value;
      }),
    );
  const parsing = { name: 'JSON.parse of each line', run: rate(() => parseEachLine(path)) };
  const ndjsonPeer = { name: 'ndjson', run: ndjson && streamed(() => ndjson.parse()) };
  const split2Peer = { name: 'split2', run: split2 && streamed(() => split2(JSON.parse)) };
  yield {
    what: `verify ${name}`,
    unit,
    subject: withReader(async (reader) => {
      if ((await reader.verify()).damaged > 0) throw new Error(`${path} is damaged`);
    }),
    against: [
      { ...parsing, atLeast: 3 },
      { ...ndjsonPeer, atLeast: 10 },
    ],
  };
  yield {
    what: `read ${name}, parsed`,
    unit,
    subject: withReader(async (reader) => {
      for await (const batch of reader.outcomes())
        for (const outcome of batch) if (outcome.kind === 'event') void outcome.event.data;
    }),
    against: [
      { ...parsing, atLeast: 0.8 },
      { ...ndjsonPeer, atLeast: 2 },
      { ...split2Peer, atLeast: 2 },
    ],
  };
  for (const [fold, atLeast] of FOLDS) {
    yield {
      what: `replay ${name} to ${fold.name}`,
      unit,
      subject: withReader((reader) => replay(reader, { state: fold as Fold<unknown> })),
      against: [{ ...parsing, atLeast }],
    };
  }
};
