// Projection: where the loop detection would have fired in this session, with which rule. After each it begins afresh,
// as it does when the user lets the model continue. For trying thresholds on the past.
import { createLoopFold, type LoopConfig, type LoopState, type LoopVerdict } from './loop.ts';
import type { Fold } from './projection.ts';

export interface LoopFiring extends LoopVerdict {
  readonly seq: number;
  readonly ts: string;
  readonly turn?: number;
}

export interface LoopFirings {
  loop: LoopState;
  firings: LoopFiring[];
  /** The number of calls that it examined. */
  calls: number;
  outputs: number;
}

type Reads = ReturnType<typeof createLoopFold>['reads'][number];

export function createFiringsFold(config: LoopConfig): Fold<LoopFirings, Reads> {
  const loop = createLoopFold(config);
  return {
    name: 'loop-firings',
    version: 1,
    reads: loop.reads,
    initial: () => ({ loop: loop.initial(), firings: [], calls: 0, outputs: 0 }),
    apply(state, event) {
      if (event.type === 'tool.finished') state.calls += 1;
      if (event.type === 'message.added' && event.data.role === 'assistant') state.outputs += 1;
      state.loop = loop.apply(state.loop, event);
      const { verdict } = state.loop;
      if (verdict === undefined) return state;
      const { seq, ts, turn } = event;
      state.firings.push({ seq, ts, ...(turn === undefined ? {} : { turn }), ...verdict });
      state.loop = loop.initial();
      return state;
    },
  };
}
