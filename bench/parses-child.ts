// Replays one journal and says how many texts that parsed, for whoever counts (cases/counts.ts). In a process of its own: what an
// event looks like is remembered, and the replay of another fold would have an easier time of it.
import { budgetFold } from '../lib/projections/budget.ts';
import { contextFold } from '../lib/projections/context.ts';
import { loopFold } from '../lib/projections/loop.ts';
import type { Fold } from '../lib/projections/projection.ts';
import { replay } from '../lib/projections/replay.ts';
import { sessionFold } from '../lib/projections/session.ts';
import { summaryFold } from '../lib/projections/summary.ts';
import { viewFold } from '../lib/projections/view.ts';
import { parsesDuring } from './counting.ts';
import { openStore } from './sessions.ts';

export interface ParsesOrder {
  readonly directory: string;
  readonly id: string;
  /** The name of the fold. */
  readonly fold: string;
}

const FOLDS = [sessionFold, viewFold, summaryFold, budgetFold, loopFold, contextFold] as readonly Fold<unknown>[];

const { directory, id, fold: name } = JSON.parse(process.argv[2]!) as ParsesOrder;
const fold = FOLDS.find((one) => one.name === name)!;
const reader = openStore(directory).openReader(id);
process.stdout.write(String(parsesDuring(() => replay(reader, { fold }))));
reader.close();
