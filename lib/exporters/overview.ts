// What one sees of an exported conversation from afar: its prompts and a map, what each turn cost, and the files that
// it changed, each with the event that leads to it. Grows with prompts, turns and files.
import { changedPaths } from '../blame/call-edits.ts';
import { addEvent, type ConversationItem, emptyConversation, takeSettled } from '../projections/conversation.ts';
import { type OutlineState, outlineFold } from '../projections/outline.ts';
import { addUsage, noneSpent, type Spending, type Spent } from '../projections/spending.ts';
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

/** @throws what `items` throws */
export async function overviewOf(items: AsyncIterable<readonly ExportItem[]>): Promise<SessionOverview> {
  let outline = outlineFold.initial();
  const turns: { turn: number | undefined; spending: Spending }[] = [];
  const files = new Map<string, number[]>();
  const conversation = emptyConversation();
  let turn: number | undefined;
  for await (const batch of items) {
    for (const item of batch) {
      if (item.kind !== 'event') continue;
      const { event } = item;
      outline = outlineFold.see?.(outline, event) ?? outline;
      if (outlineFold.reads.includes(event.type as never)) outline = outlineFold.apply(outline, event as never);
      addEvent(conversation, event);
      if (event.type === 'turn.started') turn = event.turn;
      else if (event.type === 'usage.reported') {
        if (turns.at(-1)?.turn !== turn || turns.length === 0) turns.push({ turn, spending: { spent: noneSpent() } });
        addUsage(turns.at(-1)!.spending, event.data);
      }
    }
    addFiles(files, takeSettled(conversation));
  }
  addFiles(files, takeSettled(conversation, { all: true }));
  return {
    prompts: outline.prompts,
    map: outline,
    turns: turns.map(({ turn: of, spending }) => ({ turn: of, spent: spending.spent })),
    files: Array.from(files, ([path, calls]) => ({ path, calls })),
  };
}

function addFiles(files: Map<string, number[]>, items: readonly ConversationItem[]): void {
  for (const item of items) {
    if (item.kind !== 'call' || item.end?.status !== 'ok' || item.request === undefined) continue;
    const { name, args } = item.request;
    for (const path of changedPaths(name, args)) files.set(path, [...(files.get(path) ?? []), item.seq]);
  }
}
