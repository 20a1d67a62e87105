// Schedules: lists of steps for a world, made by fast-check so that a failing one shrinks to a short one. Its scheduler
// decides in which order the syncs of several callers come back, and when a follower looks.
import fc from 'fast-check';
import { type Fault, OPERATIONS } from './simulated-disk.ts';
import { type Batch, newStatistics, type Statistics, type Turns, World } from './world.ts';

const IDS = ['alpha', 'beta', 'gamma'] as const;
type Id = (typeof IDS)[number];
type Policy = 'always' | 'barrier' | 'process';

type Part =
  | { readonly do: 'append'; readonly by: number; readonly id: Id; readonly batches: readonly Batch[] }
  | {
      readonly do: 'create' | 'open';
      readonly by: number;
      readonly id: Id;
      readonly as: 'writer' | 'session';
      readonly policy: Policy;
    }
  | { readonly do: 'retry' | 'sync' | 'save' | 'snapshot'; readonly by: number; readonly id: Id };

export type Step =
  | Part
  | { readonly do: 'together'; readonly parts: readonly Part[] }
  | { readonly do: 'close' | 'trash' | 'restore' | 'purge' | 'repair'; readonly by: number; readonly id: Id }
  | { readonly do: 'fork'; readonly by: number; readonly id: Id; readonly to: Id }
  | { readonly do: 'reset'; readonly by: number; readonly id: Id; readonly keepHistory: boolean }
  | { readonly do: 'prune' | 'kill'; readonly by: number }
  | { readonly do: 'follow'; readonly id: Id }
  | { readonly do: 'crash' | 'recover' | 'heal' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly fault: Fault };

export interface Schedule {
  readonly seed: number;
  readonly capacityBytes: number | undefined;
  readonly steps: readonly Step[];
}

const id = fc.constantFrom(...IDS.slice(0, 1), ...IDS);
const by = fc.constantFrom(0, 0, 0, 1);
const policy = fc.constantFrom<Policy>('barrier', 'barrier', 'barrier', 'always', 'process');
const as = fc.constantFrom('writer' as const, 'session' as const);
const batch: fc.Arbitrary<Batch> = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  bytes: fc.constantFrom(0, 10, 100, 600, 3000),
  level: fc.constantFrom('process' as const, 'disk' as const),
  kind: fc.constantFrom('noted' as const, 'noted' as const, 'message' as const, 'tool' as const),
  isKeyed: fc.boolean(),
});
const fault: fc.Arbitrary<Fault> = fc.record({
  operation: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('write' as const, 'dataSync' as const, 'sync' as const, 'any' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...OPERATIONS) },
  ),
  at: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 })),
  error: fc.constantFrom<Fault['error'][]>(
    'crash',
    'crash',
    'crash',
    'kill',
    'EIO',
    'EIO',
    'ENOSPC',
    'EDQUOT',
    'EROFS',
    'ESTALE',
    'EINTR',
    'EMFILE',
    'EACCES',
    'short',
  ),
  forGood: fc.boolean(),
  after: fc.boolean(),
});

const append = fc.record({
  do: fc.constant('append' as const),
  by,
  id,
  batches: fc.array(batch, { minLength: 1, maxLength: 4 }),
});
const opening = fc.record({
  do: fc.constantFrom('create' as const, 'create' as const, 'open' as const),
  by,
  id,
  as,
  policy,
});
const small = fc.record({
  do: fc.constantFrom('retry' as const, 'sync' as const, 'save' as const, 'snapshot' as const),
  by,
  id,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: append },
  { weight: 5, arbitrary: opening },
  { weight: 4, arbitrary: small },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('together' as const),
      parts: fc.array(fc.oneof({ weight: 3, arbitrary: append }, { weight: 1, arbitrary: small }), {
        minLength: 2,
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('close', 'close', 'trash', 'restore', 'purge', 'repair'), by, id }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), by, id, to: id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), by, id, keepHistory: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('prune' as const, 'kill' as const, 'kill' as const), by }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('follow' as const), id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('crash', 'crash', 'recover', 'heal') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 1000, -5000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
);

export function schedules(maxSteps: number): fc.Arbitrary<Schedule> {
  return fc.record({
    seed: fc.nat(),
    capacityBytes: fc.option(fc.integer({ min: 500, max: 20_000 }), { nil: undefined, freq: 6 }),
    steps: fc.array(step, { minLength: 1, maxLength: maxSteps, size: 'max' }),
  });
}

/** Runs one schedule and throws a Violation at the first thing that is not as it must be. */
export async function run(
  { seed, capacityBytes, steps }: Schedule,
  scheduler: fc.Scheduler,
  statistics: Statistics = newStatistics(),
): Promise<void> {
  const turns: Turns = {
    wait: (label) => scheduler.schedule(Promise.resolve(), label),
    until: (work) => scheduler.waitFor(work),
  };
  const world = new World({ seed, capacityBytes, turns });
  try {
    for (const each of steps) {
      await turns.until(perform(world, each));
      if (each.do !== 'fault') await world.check();
    }
    await turns.until(world.recover());
    await world.check();
  } finally {
    add(statistics, world.finish());
  }
}

async function perform(world: World, each: Step): Promise<void> {
  if (world.isDead) return;
  switch (each.do) {
    case 'append':
      return world.append(each.by, each.id, each.batches);
    case 'create':
    case 'open':
      return world[each.do](each.by, each.id, each.as, each.policy);
    case 'retry':
    case 'sync':
    case 'save':
    case 'snapshot':
    case 'close':
    case 'trash':
    case 'restore':
    case 'purge':
    case 'repair':
      return world[each.do](each.by, each.id);
    case 'together':
      return world.together(each.parts.map((part) => () => perform(world, part)));
    case 'fork':
      return world.fork(each.by, each.id, each.to);
    case 'reset':
      return world.reset(each.by, each.id, each.keepHistory);
    case 'prune':
      return world.prune(each.by);
    case 'kill':
      return world.kill(each.by);
    case 'follow':
      return world.follow(each.id);
    case 'crash':
    case 'recover':
      return world[each.do]();
    case 'heal':
      return world.heal();
    case 'wait':
      return world.advance(each.ms);
    case 'fault':
      return world.plant(each.fault);
  }
}

function add(sum: Statistics, more: Statistics): void {
  for (const name of Object.keys(sum) as (keyof Statistics)[]) sum[name] += more[name];
}
