// Reading a journal back: verify, read and replay, compared with JSON.parse of each line and a package that reads
// such lines; for a session of 20 MB, which is a long one.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import ndjson from 'ndjson';
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
import { parseLines } from '../floors.ts';
import { perSecond } from '../measure.ts';

export const run: Case = async function* ({ size, directory }) {
  const { path, bytes, events } = await writeJournal(directory, 'journal', { bytes: size(20e6, 1e5) });
  const unit = 'MB/s';
  const rate = (work: () => unknown) => perSecond(bytes / 1e6, work);
  const reading = (use: (reader: JournalReader) => Promise<unknown>) =>
    rate(async () => {
      using reader = openStore(directory).openReader('journal');
      await use(reader);
    });
  const streaming = rate(() =>
    pipeline(createReadStream(path), ndjson.parse(), async (values) => {
      for await (const value of values) void value;
    }),
  );
  const parsingAll = rate(() => parseLines(path));
  const byParse = (goal: number) => ['JSON.parse of each line', parsingAll, goal] as const;
  const byNdjson = (goal: number) => ['ndjson', streaming, goal] as const;

  const name = `${events.toLocaleString('en')} events`;
  const verified = reading(async (reader) => {
    if ((await reader.verify()).damaged > 0) throw new Error(`${path} is damaged`);
  });
  yield { what: `verify ${name}`, unit, ollm: verified, against: [byParse(1.5), byNdjson(5)] };
  const parsed = reading(async (reader) => {
    for await (const batch of reader.outcomes())
      for (const outcome of batch) if (outcome.kind === 'event') void outcome.event.data;
  });
  yield { what: `read ${name}, parsed`, unit, ollm: parsed, against: [byParse(0.5), byNdjson(2)] };
  for (const fold of [sessionFold, viewFold, summaryFold, budgetFold, loopFold, contextFold]) {
    const replayed = reading((reader) => replay(reader, { state: fold as Fold<unknown> }));
    yield { what: `replay ${name} to ${fold.name}`, unit, ollm: replayed, against: [byParse(0.4)] };
  }
};
