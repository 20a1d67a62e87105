// A replay parses the data of the events that its folds read, each once, and of no others: counted, not timed.

import { budgetFold } from '../../lib/projections/budget.ts';
import { contextFold } from '../../lib/projections/context.ts';
import { loopFold } from '../../lib/projections/loop.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { newJournal, openStore } from '../support/generated-journals.ts';
import { generatedEvents } from '../support/generated-session.ts';
import { createTree, type Tree } from '../support/tree.ts';

const FOLDS = [sessionFold, viewFold, summaryFold, budgetFold, loopFold, contextFold] as readonly Fold<unknown>[];
/** The first line is parsed for its format by every replay. */
const FIRST = 'session.created';

let tree: Tree;
let id: string;
let types: readonly string[];

beforeAll(async () => {
  tree = createTree();
  const events = [...generatedEvents(1000)];
  types = [FIRST, ...events.map(({ type }) => type)];
  const writer = await newJournal(tree.root);
  id = writer.id;
  await writer.append(events);
  await writer.close();
});
afterAll(() => tree[Symbol.dispose]());

test.each(FOLDS.map((fold) => [fold.name, fold] as const))(
  'a replay to %s parses only the events that it needs',
  async (_name, fold) => {
    const read = types.filter((type) => type === FIRST || (fold.reads as readonly string[]).includes(type));
    expect(await parsesOf([fold])).toBe(read.length);
  },
);

test('a replay to all states parses each event once', async () => {
  const all = new Set<string>([FIRST, ...FOLDS.flatMap(({ reads }) => reads)]);
  expect(await parsesOf(FOLDS)).toBe(types.filter((type) => all.has(type)).length);
});

async function parsesOf(folds: readonly Fold<unknown>[]): Promise<number> {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (text: string, ...rest: [((key: string, value: unknown) => unknown)?]) => {
    count += 1;
    return parse(text, ...rest) as unknown;
  };
  const reader = openStore(tree.root).openReader(id);
  try {
    await replay(reader, Object.fromEntries(folds.map((fold) => [fold.name, fold])));
    return count;
  } finally {
    JSON.parse = parse;
    reader.close();
  }
}
