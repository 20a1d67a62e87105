// Replay: the state of each projection from the journal alone, checksums verified, against JSON.parse of each line and
// nothing else. A fold that needs few events must not pay for parsing the others.
import { budgetFold } from '../../lib/projections/budget.ts';
import { contextFold } from '../../lib/projections/context.ts';
import { loopFold } from '../../lib/projections/loop.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { viewFold } from '../../lib/projections/view.ts';
import type { Case } from '../bench.ts';
import { parseEachLine } from '../floors.ts';
import { journalsToRead } from '../journals.ts';
import { measure } from '../measure.ts';
import { openStore } from '../sessions.ts';

const GOALS: readonly (readonly [fold: Fold<unknown>, goal: number])[] = [
  [sessionFold as Fold<unknown>, 0.8],
  [viewFold as Fold<unknown>, 0.8],
  [summaryFold as Fold<unknown>, 2],
  [budgetFold as Fold<unknown>, 2],
  [loopFold as Fold<unknown>, 2],
  [contextFold as Fold<unknown>, 2],
];

export const run: Case = async function* (bench) {
  for await (const { name, directory, id, path, pairs, rate } of journalsToRead(bench)) {
    const store = openStore(directory);
    for (const [fold, goal] of GOALS) {
      bench.progress(`to ${fold.name}, ${name}`);
      yield* await measure(
        {
          what: `replay ${name} to ${fold.name}`,
          unit: 'MB/s',
          subject: rate(() => {
            const reader = store.openReader(id);
            replay(reader, { state: fold });
            reader.close();
          }),
          against: [{ name: 'JSON.parse of each line', goal: { atLeast: goal }, run: rate(() => parseEachLine(path)) }],
        },
        pairs,
      );
    }
  }
};
