// What speed rests on and what is no noise: files that a command loads, calls to the system and bytes for an event, parses
// of a replay. The same on every machine, so that more than the limit fails the run.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { budgetFold } from '../../lib/projections/budget.ts';
import { contextFold } from '../../lib/projections/context.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import type { Case } from '../bench.ts';
import { generatedEvents } from '../generated-session.ts';
import { MOST_MODULES } from '../loaded-modules.ts';
import type { Count } from '../measure.ts';
import { buildProgram } from '../program.ts';
import { newJournal, openStore, sessionsDirectory, writeJournal } from '../sessions.ts';
import { callsOfRound, noTracer } from '../system-calls.ts';

export const run: Case = async function* ({ seed, directory, progress }) {
  progress('modules');
  yield* await modules(directory, seed);
  progress('system calls');
  const reason = noTracer();
  if (reason) yield { kind: 'skipped', what: 'system calls of an append', reason };
  else yield* systemCalls(directory);
  progress('bytes');
  yield await bytes(directory, seed);
  progress('parses');
  yield* await parses(directory, seed);
};

async function modules(directory: string, seed: number): Promise<Count[]> {
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home);
  await writeJournal(sessionsDirectory(home), 'walk', 200, { seed });
  const counts: Count[] = [];
  for (const [args, atMost] of MOST_MODULES) {
    const loaded = await program.modules(home, ...args);
    counts.push({ kind: 'count', what: `ollm ${args.join(' ')}`, unit: 'files loaded', count: loaded.length, atMost });
  }
  return counts;
}

function* systemCalls(directory: string): Generator<Count> {
  const cases = [
    { what: 'an append, level process', durability: 'process', callers: 1, calls: 2, syncs: 0 },
    { what: 'an append, level disk', durability: 'disk', callers: 1, calls: 3, syncs: 1 },
    { what: '64 appends at once, level disk', durability: 'disk', callers: 64, calls: 6, syncs: 2 },
  ] as const;
  for (const { what, durability, callers, calls, syncs } of cases) {
    const counted = callsOfRound(directory, { durability, callers });
    const all = Object.values(counted).reduce((sum, count) => sum + count, 0);
    yield { kind: 'count', what, unit: 'system calls', count: all, atMost: calls };
    yield { kind: 'count', what, unit: 'fdatasync', count: counted.fdatasync ?? 0, atMost: syncs };
  }
}

/** What a line costs above the event that it holds. */
async function bytes(directory: string, seed: number): Promise<Count> {
  const events = [...generatedEvents(1000, { seed })];
  const writer = await newJournal(directory);
  const before = writer.head.offset;
  await writer.append(events);
  const written = writer.head.offset - before;
  await writer.close();
  const held = events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
  return {
    kind: 'count',
    what: 'an event',
    unit: 'bytes beside its data',
    count: (written - held) / events.length,
    atMost: 150,
  };
}

async function parses(directory: string, seed: number): Promise<Count[]> {
  const { events } = await writeJournal(directory, 'parsed', 5000, { seed });
  const cases: readonly (readonly [string, Fold<unknown>, number])[] = [
    ['summary', summaryFold, 0.5],
    ['budget', budgetFold, 0.6],
    ['context', contextFold, 0.01],
  ];
  return cases.map(([name, fold, atMost]) => {
    const reader = openStore(directory).openReader('parsed');
    const count = parsesDuring(() => replay(reader, { fold })) / events;
    reader.close();
    return { kind: 'count', what: `a replay to ${name}`, unit: 'parses per event', count, atMost };
  });
}

function parsesDuring(work: () => unknown): number {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (text: string, ...rest: [((key: string, value: unknown) => unknown)?]) => {
    count += 1;
    return parse(text, ...rest) as unknown;
  };
  try {
    work();
    return count;
  } finally {
    JSON.parse = parse;
  }
}
