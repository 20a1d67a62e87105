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
  | { readonly do: 'follow' | 'backup'; readonly id: Id }
  | { readonly do: 'crash' | 'recover' | 'heal' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly fault: Fault };

export interface Schedule {
  readonly seed: number;
  readonly capacityBytes: number | undefined;
  readonly steps: readonly Step[];
}

const batch: fc.Arbitrary<Batch> = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  bytes: fc.constantFrom(0, 10, 100, 600, 3000),
  level: fc.constantFrom('process' as const, 'disk' as const),
  kind: fc.constantFrom('noted', 'noted', 'message', 'tool', 'piece', 'piece', 'answer'),
  isKeyed: fc.boolean(),
});
const batches = fc.array(batch, { minLength: 1, maxLength: 4 });
const anyFault: fc.Arbitrary<Fault> = fc.record({
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
/** The one that programs handled wrongly for decades comes more often than chance would have it. */
const failedSync: fc.Arbitrary<Fault> = fc.record({
  operation: fc.constant('dataSync' as const),
  at: fc.integer({ min: 1, max: 2 }),
  error: fc.constant('EIO' as const),
});
/** So does a write that fails after an unknown number of bytes. */
const failedWrite: fc.Arbitrary<Fault> = fc.record({
  operation: fc.constant('write' as const),
  at: fc.integer({ min: 1, max: 2 }),
  error: fc.constant('EIO' as const),
  after: fc.constant(true),
});
const fault = fc.oneof(
  { weight: 5, arbitrary: anyFault },
  { weight: 1, arbitrary: failedSync },
  { weight: 1, arbitrary: failedWrite },
);

/** What a schedule is about: with everything in all of them, too little of each would meet. */
interface Profile {
  readonly ids: readonly Id[];
  readonly processes: readonly number[];
  readonly policies: readonly Policy[];
  readonly as: readonly ('writer' | 'session')[];
  /** How often each kind of step comes. */
  readonly weights: Readonly<Partial<Record<Kind, number>>>;
}

type Kind =
  | 'append'
  | 'opening'
  | 'small'
  | 'together'
  | 'close'
  | 'places'
  | 'copies'
  | 'backup'
  | 'kill'
  | 'follow'
  | 'crash'
  | 'wait'
  | 'fault';

const EVERYTHING: Profile = {
  ids: ['alpha', 'alpha', 'beta', 'gamma'],
  processes: [0, 0, 0, 1],
  policies: ['barrier', 'barrier', 'barrier', 'always', 'process'],
  as: ['writer', 'session'],
  weights: {
    append: 7,
    opening: 5,
    small: 4,
    together: 3,
    close: 2,
    places: 2,
    copies: 2,
    kill: 1,
    follow: 1,
    crash: 3,
    wait: 1,
    fault: 4,
  },
};

const PROFILES: readonly Profile[] = [
  EVERYTHING,
  {
    ...EVERYTHING,
    ids: ['alpha'],
    as: ['writer'],
    weights: { append: 6, opening: 3, small: 3, together: 2, close: 1, follow: 1, crash: 3, fault: 4 },
  },
  {
    ...EVERYTHING,
    ids: ['alpha'],
    as: ['session'],
    weights: { append: 5, opening: 4, small: 4, close: 2, backup: 1, crash: 3, fault: 2 },
  },
  {
    ...EVERYTHING,
    ids: ['alpha'],
    processes: [0, 1],
    weights: { append: 5, opening: 5, small: 2, together: 3, close: 3, kill: 3, follow: 2, fault: 2 },
  },
  {
    ...EVERYTHING,
    ids: ['alpha', 'beta'],
    weights: { append: 4, opening: 4, close: 3, places: 5, copies: 3, crash: 3, fault: 4 },
  },
  {
    ...EVERYTHING,
    ids: ['alpha'],
    as: ['session'],
    policies: ['process', 'process', 'barrier'],
    weights: { append: 5, opening: 5, small: 3, close: 1, crash: 5 },
  },
  {
    ...EVERYTHING,
    ids: ['alpha'],
    as: ['session'],
    weights: { append: 5, opening: 6, small: 2, close: 1, backup: 3, crash: 1 },
  },
];

function steps({ ids, processes, policies, as: kinds, weights }: Profile): fc.Arbitrary<Step> {
  const id = fc.constantFrom(...ids);
  const by = fc.constantFrom(...processes);
  const policy = fc.constantFrom(...policies);
  const as = fc.constantFrom(...kinds);
  const append = fc.record({ do: fc.constant('append' as const), by, id, batches });
  const small = fc.record({
    do: fc.constantFrom('retry' as const, 'sync' as const, 'save' as const, 'snapshot' as const),
    by,
    id,
  });
  const part = fc.oneof({ weight: 3, arbitrary: append }, { weight: 1, arbitrary: small });
  const fork = fc.record({ do: fc.constant('fork' as const), by, id, to: id });
  const reset = fc.record({ do: fc.constant('reset' as const), by, id, keepHistory: fc.boolean() });
  const byKind: Record<Kind, fc.Arbitrary<Step>> = {
    append,
    small,
    opening: fc.record({ do: fc.constantFrom('create', 'create', 'open'), by, id, as, policy }),
    together: fc.record({ do: fc.constant('together'), parts: fc.array(part, { minLength: 2, maxLength: 4 }) }),
    close: fc.record({ do: fc.constant('close'), by, id }),
    places: fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('trash', 'restore', 'purge', 'repair'), by, id }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), by }) },
    ),
    copies: fc.oneof(fork, reset),
    backup: fc.record({ do: fc.constant('backup'), id }),
    kill: fc.record({ do: fc.constant('kill'), by }),
    follow: fc.record({ do: fc.constant('follow'), id }),
    crash: fc.record({ do: fc.constantFrom('crash', 'crash', 'recover', 'heal') }),
    wait: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(0, 1, 1000, -5000) }),
    fault: fc.record({ do: fc.constant('fault'), fault }),
  };
  const weighted = (Object.keys(weights) as Kind[]).map((kind) => ({
    weight: weights[kind] ?? 0,
    arbitrary: byKind[kind],
  }));
  return fc.oneof(...weighted);
}

export function schedules(maxSteps: number): fc.Arbitrary<Schedule> {
  const lists = PROFILES.map((profile) => fc.array(steps(profile), { minLength: 1, maxLength: maxSteps, size: 'max' }));
  return fc.record({
    seed: fc.nat(),
    capacityBytes: fc.option(fc.integer({ min: 500, max: 20_000 }), { nil: undefined, freq: 6 }),
    steps: fc.oneof(...lists),
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
    case 'backup':
      return world[each.do](each.id);
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
