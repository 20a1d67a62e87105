// Reading a journal back: verify, read and replay, compared with JSON.parse of each line and packages that read such
// lines; for a session of 20 MB, which is a long one.
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openStore, writeJournal } from '../../__tests__/support/generated-journals.ts';
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
import { eachParsed } from '../floors.ts';
import { loadPeer, perSecond } from '../measure.ts';

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
  const rate = (work: () => unknown) => perSecond(bytes / 1e6, work);
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
  const parsing = (atLeast: number) => ({
    name: 'JSON.parse of each line',
    atLeast,
    run: rate(() => eachParsed(path)),
  });
  const ofNdjson = { name: 'ndjson', run: ndjson && streamed(() => ndjson.parse()) };
  const ofSplit2 = { name: 'split2', run: split2 && streamed(() => split2(JSON.parse)) };
  const verified = withReader(async (reader) => {
    if ((await reader.verify()).damaged > 0) throw new Error(`${path} is damaged`);
  });
  yield { what: `verify ${name}`, unit, subject: verified, against: [parsing(3), { ...ofNdjson, atLeast: 10 }] };
  const parsed = withReader(async (reader) => {
    for await (const batch of reader.outcomes())
      for (const outcome of batch) if (outcome.kind === 'event') void outcome.event.data;
  });
  const peers = [ofNdjson, ofSplit2].map((each) => ({ ...each, atLeast: 2 }));
  yield { what: `read ${name}, parsed`, unit, subject: parsed, against: [parsing(0.8), ...peers] };
  for (const [fold, atLeast] of FOLDS) {
    const replayed = withReader((reader) => replay(reader, { state: fold as Fold<unknown> }));
    yield { what: `replay ${name} to ${fold.name}`, unit, subject: replayed, against: [parsing(atLeast)] };
  }
};
