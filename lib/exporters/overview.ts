// What one sees of an exported conversation from afar: its prompts and a map, what each turn cost, and the files that
// it changed, each with the event that leads to it. Grows with prompts, turns and files.
import { outlastsUndo } from '../events/outlast-undo.ts';
import { type OutlineState, outlineFold } from '../projections/outline.ts';
import { addUsage, noneSpent, type Spending, type Spent } from '../projections/spending.ts';
import { changedPaths } from './changed-paths.ts';
import type { ExportItem } from './item.ts';

export interface TurnCost {
  /** Undefined for requests before the first turn. */
  readonly turn: number | undefined;
  readonly spent: Spent;
}

export interface FileOfCalls {
  readonly path: string;
  /** seq of the calls that changed it, in their order. */
  readonly calls: readonly number[];
}

export interface SessionOverview {
  readonly prompts: OutlineState['prompts'];
  readonly map: Pick<OutlineState, 'perRow' | 'rows' | 'head'>;
  readonly turns: readonly TurnCost[];
  readonly files: readonly FileOfCalls[];
}

const MAX_OPEN_CALLS = 256;

/** @throws what `items` throws */
export async function overviewOf(items: AsyncIterable<readonly ExportItem[]>): Promise<SessionOverview> {
  let outline = outlineFold.initial();
  const turns: { turn: number | undefined; spending: Spending }[] = [];
  const files = new Map<string, number[]>();
  const open = new Map<string, { readonly seq: number; readonly paths: readonly string[] }>();
  let turn: number | undefined;
  for await (const batch of items) {
    for (const item of batch) {
      if (item.kind !== 'event') continue;
      const { event } = item;
      outline = outlineFold.see?.(outline, event) ?? outline;
      if (outlineFold.reads.includes(event.type as never)) outline = outlineFold.apply(outline, event as never);
      if (outlastsUndo(event.type)) continue;
      if (event.type === 'turn.started') turn = event.turn;
      else if (event.type === 'usage.reported') {
        if (turns.at(-1)?.turn !== turn || turns.length === 0) turns.push({ turn, spending: { spent: noneSpent() } });
        addUsage(turns.at(-1)!.spending, event.data);
      } else if (event.type === 'tool.requested') {
        const { callId, name, args } = event.data;
        for (const oldest of open.keys()) if (open.size >= MAX_OPEN_CALLS) open.delete(oldest);
        open.set(callId, { seq: event.seq, paths: changedPaths(name, args) });
      } else if (event.type === 'tool.finished') {
        const call = open.get(event.data.callId);
        open.delete(event.data.callId);
        if (event.data.status !== 'ok') continue;
        for (const path of call?.paths ?? []) files.set(path, [...(files.get(path) ?? []), call!.seq]);
      }
    }
  }
  return {
    prompts: outline.prompts,
    map: outline,
    turns: turns.map(({ turn: of, spending }) => ({ turn: of, spent: spending.spent })),
    files: Array.from(files, ([path, calls]) => ({ path, calls })),
  };
}
