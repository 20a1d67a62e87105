// Builds the items of small sessions, as an exporter is given them.
import type { NewOllmEvent, OllmEvent } from '../../lib/events/index.ts';
import type { ExportHead } from '../../lib/exporters/head.ts';
import { surveyFold, withFigures } from '../../lib/exporters/head-fold.ts';
import type { ExportItem } from '../../lib/exporters/item.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { summaryFold } from '../../lib/projections/summary.ts';

const START_MS = Date.UTC(2026, 10, 21, 20, 49);

export function eventItems(...events: readonly NewOllmEvent[]): ExportItem[] {
  return events.map((event, seq) => ({
    kind: 'event',
    event: { ...event, seq, ts: new Date(START_MS + seq * 1000).toISOString() } as OllmEvent,
  }));
}

/** In batches of one, as a reader may hand them out. */
export async function* batched<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (const item of items) yield [item];
}

export async function joined(groups: AsyncIterable<Iterable<string | Uint8Array>>): Promise<string> {
  const pieces: (string | Uint8Array)[] = [];
  // Each group is gone through before the next one is asked for.
  for await (const group of groups) pieces.push(...group);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
}

export function headOf(items: readonly ExportItem[], more: Partial<ExportHead> = {}): ExportHead {
  const survey = withFigures(folded(items, surveyFold), folded(items, summaryFold));
  return { sessionId: 'walk', survey, damaged: 0, ...more };
}

function folded<State, Type extends OllmEvent['type']>(items: readonly ExportItem[], fold: Fold<State, Type>): State {
  return items.reduce((state, item) => {
    if (item.kind !== 'event') return state;
    fold.see?.(state, item.event);
    return (fold.reads as readonly string[]).includes(item.event.type) ? fold.apply(state, item.event as never) : state;
  }, fold.initial());
}

export const created: NewOllmEvent = {
  type: 'session.created',
  data: { format: 1, sessionId: 'walk', model: 'tiny', provider: 'offline', ollm: '0.1.0', cwd: '/home/ada' },
};

export function said(role: 'system' | 'user' | 'assistant', text: string, more: object = {}): NewOllmEvent {
  return {
    type: 'message.added',
    turn: 1,
    data: {
      role,
      parts: [{ type: 'text', text }],
      tokens: { count: 1, method: 'estimated' },
      trusted: role !== 'assistant',
      ...more,
    },
  };
}

export const turnStarted = (turn: number): NewOllmEvent => ({ type: 'turn.started', turn, data: { input: 'x' } });

export const turnEnded = (turn: number, status: 'completed' | 'cancelled' = 'completed'): NewOllmEvent => ({
  type: 'turn.ended',
  turn,
  data: { status, steps: 1, durationMs: 1200 },
});

export const toolAsked = (callId: string, name: string, args: Record<string, unknown>): NewOllmEvent => ({
  type: 'tool.requested',
  turn: 1,
  data: { callId, name, args },
});

export const toolAnswered = (callId: string, llmContent: string): NewOllmEvent => ({
  type: 'tool.finished',
  turn: 1,
  data: {
    callId,
    status: 'ok',
    result: { llmContent },
    tokens: { count: 1, method: 'estimated' },
    durationMs: 12,
    trusted: false,
  },
});
