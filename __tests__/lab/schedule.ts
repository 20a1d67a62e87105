// Schedules: lists of steps for a world, made by fast-check so that a failing one shrinks to a short one.
import fc from 'fast-check';
import type { Fault, Operation } from './simulated-disk.ts';
import { type Batch, type Statistics, World } from './world.ts';

const IDS = ['alpha', 'beta', 'gamma'] as const;
type Id = (typeof IDS)[number];

export type Step =
  | { readonly do: 'append'; readonly process: number; readonly id: Id; readonly batches: readonly Batch[] }
  | {
      readonly do: 'create' | 'sync' | 'close' | 'snapshot' | 'trash' | 'restore' | 'purge' | 'repair';
      readonly process: number;
      readonly id: Id;
    }
  | { readonly do: 'kill' | 'crash' | 'recover' | 'heal' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly fault: Fault };

export interface Schedule {
  readonly seed: number;
  readonly capacityBytes: number | undefined;
  readonly steps: readonly Step[];
}

const id = fc.constantFrom(...IDS);
const process = fc.constantFrom(0, 0, 0, 1);
const batch: fc.Arbitrary<Batch> = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  bytes: fc.constantFrom(0, 10, 100, 600, 3000),
  level: fc.constantFrom('process' as const, 'disk' as const),
});
const OPERATIONS: readonly (Operation | 'any')[] = [
  'write',
  'dataSync',
  'sync',
  'truncate',
  'rename',
  'unlink',
  'syncDirectory',
  'open',
  'read',
  'stat',
  'any',
];
const fault: fc.Arbitrary<Fault> = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  at: fc.integer({ min: 1, max: 6 }),
  error: fc.constantFrom(
    'crash' as const,
    'crash' as const,
    'EIO' as const,
    'ENOSPC' as const,
    'EDQUOT' as const,
    'EROFS' as const,
    'ESTALE' as const,
    'short' as const,
  ),
  forGood: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      process,
      id,
      batches: fc.array(batch, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('create', 'create', 'sync', 'close', 'snapshot', 'trash', 'restore', 'purge', 'repair'),
      process,
      id,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('kill', 'crash', 'crash', 'recover', 'heal') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 1000, -5000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
);

export function schedules(maxSteps: number): fc.Arbitrary<Schedule> {
  return fc.record({
    seed: fc.nat(),
    capacityBytes: fc.option(fc.integer({ min: 500, max: 20_000 }), { nil: undefined, freq: 6 }),
    steps: fc.array(step, { minLength: 1, maxLength: maxSteps, size: 'max' }),
  });
}

/** Runs one schedule and throws a Violation at the first thing that is not as it must be. */
export async function run(schedule: Schedule): Promise<Statistics> {
  const world = new World(
    schedule.seed,
    schedule.capacityBytes === undefined ? {} : { capacityBytes: schedule.capacityBytes },
  );
  for (const each of schedule.steps) {
    await perform(world, each);
    if (each.do !== 'fault') await world.check();
  }
  await world.recoverAll();
  await world.check();
  return world.statistics;
}

async function perform(world: World, each: Step): Promise<void> {
  switch (each.do) {
    case 'append':
      return world.append(each.process, each.id, each.batches);
    case 'create':
    case 'sync':
    case 'close':
    case 'snapshot':
    case 'trash':
    case 'restore':
    case 'purge':
    case 'repair':
      return world[each.do](each.process, each.id);
    case 'kill':
      return world.kill(0);
    case 'crash':
      return world.crash();
    case 'recover':
      return world.recoverAll();
    case 'heal':
      return world.heal();
    case 'wait':
      return world.advance(each.ms);
    case 'fault':
      return world.plant(each.fault);
  }
}
