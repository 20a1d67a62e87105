// Journals for tests of readers: events in a list, with the reader's interface. No bytes, no checksums.
import { setImmediate } from 'node:timers/promises';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { inBatches } from '../../lib/journal/reading/scan.ts';
import type { Damage, JournalReader, NewEvent, Outcome, ReadOptions, StoredEvent } from '../../lib/journal/types.ts';

const START_MS = Date.UTC(2026, 0, 1);
const NO_BYTES = new Uint8Array();

/** As the journal would have stored them: seq from 0, a second between two, ten bytes each. */
export function stored(events: readonly (NewOllmEvent | NewEvent)[], { from = 0 } = {}): StoredEvent[] {
  return events.map((event, index) => {
    const seq = from + index;
    const xxh64 = (seq + 1).toString(16).padStart(16, '0');
    return {
      ...event,
      seq,
      ts: new Date(START_MS + seq * 1000).toISOString(),
      data: event.data as StoredEvent['data'],
      position: { seq, offset: seq * 10 + 10, xxh64 },
      prev: seq.toString(16).padStart(16, '0'),
      xxh64,
      offset: seq * 10,
      end: seq * 10 + 10,
      raw: NO_BYTES,
    };
  });
}

/** Reads events, with damage where the list says so. */
export function readerOf(list: readonly (StoredEvent | Damage)[]): JournalReader {
  const outcomes = list.map(
    (entry): Outcome => ('kind' in entry ? { kind: 'damage', damage: entry } : { kind: 'event', event: entry }),
  );
  const endOf = (outcome: Outcome) =>
    outcome.kind === 'event' ? outcome.event.end : outcome.damage.offset + outcome.damage.length;
  async function* behind({ after, signal }: ReadOptions = {}): AsyncGenerator<readonly Outcome[]> {
    const wanted = outcomes.filter((outcome) => endOf(outcome) > (after?.offset ?? 0));
    for await (const batch of inBatches({ read: () => 0 }, [wanted])) {
      signal?.throwIfAborted();
      yield batch;
      await setImmediate();
    }
  }
  const refuse = () => {
    throw new Error('not in this reader');
  };
  return {
    id: 'listed',
    path: 'nowhere',
    size: async () => outcomes.reduce((end, outcome) => Math.max(end, endOf(outcome)), 0),
    holds: async () => true,
    lastSeq: async () => undefined,
    placeBefore: async () => undefined,
    isBeingWritten: async () => false,
    sealed: async () => undefined,
    first: async () => list.find((entry): entry is StoredEvent => 'type' in entry),
    outcomes: behind,
    async *backwards() {
      for (const outcome of outcomes.toReversed()) yield [outcome];
    },
    follow: refuse,
    verify: refuse,
    close() {},
    [Symbol.dispose]() {},
  };
}

type DataOf<Type extends NewOllmEvent['type']> = Extract<NewOllmEvent, { type: Type }>['data'];

/** Events in a line each. */
export const event = {
  created: (more: Partial<DataOf<'session.created'>> = {}): NewOllmEvent => ({
    type: 'session.created',
    data: {
      format: 1,
      sessionId: '00000000-0000-4000-8000-000000000001',
      model: 'm',
      provider: 'p',
      ollm: '0.1.0',
      ...more,
    },
  }),
  said: (
    role: 'user' | 'assistant' | 'system',
    text: string,
    more: Partial<DataOf<'message.added'>> = {},
  ): NewOllmEvent => ({
    type: 'message.added',
    data: {
      role,
      parts: [{ type: 'text', text }],
      tokens: { count: text.length, method: 'counted' },
      trusted: true,
      ...more,
    },
  }),
  asked: (callId: string, name = 'read', args: Record<string, unknown> = {}): NewOllmEvent => ({
    type: 'tool.requested',
    data: { callId, name, args },
  }),
  finished: (callId: string, llmContent = 'done', more: Partial<DataOf<'tool.finished'>> = {}): NewOllmEvent => ({
    type: 'tool.finished',
    data: {
      callId,
      status: 'ok',
      result: { llmContent },
      tokens: { count: llmContent.length, method: 'counted' },
      durationMs: 1,
      trusted: false,
      ...more,
    },
  }),
  found: (text: string): NewOllmEvent => ({
    type: 'retrieval.added',
    data: { query: 'q', chunks: [{ source: 'a.md', text, score: 1, tokens: text.length }], trusted: false },
  }),
  used: (inputTokens: number, outputTokens: number, more: Partial<DataOf<'usage.reported'>> = {}): NewOllmEvent => ({
    type: 'usage.reported',
    data: { inputTokens, outputTokens, source: 'provider', model: 'm', ...more },
  }),
  context: (key: string, content: string, more: Partial<DataOf<'context.added'>> = {}): NewOllmEvent => ({
    type: 'context.added',
    data: {
      key,
      content,
      priority: 0,
      source: 'user',
      tokens: { count: content.length, method: 'counted' },
      trusted: true,
      ...more,
    },
  }),
  moved: (head: number): NewOllmEvent => ({ type: 'branch.moved', data: { head, reason: 'undo' } }),
  compacted: (from: number, to: number, summary?: string): NewOllmEvent => ({
    type: 'compaction.completed',
    data: {
      strategy: summary === undefined ? 'truncate' : 'hybrid',
      covers: { from, to },
      keptFrom: to + 1,
      ...(summary === undefined ? {} : { summary }),
      tokensBefore: 100,
      tokensAfter: 10,
      by: 'auto',
    },
  }),
  /** A compaction of a foreign program, with messages in place of the covered items. */
  replaced: (to: number, messages: readonly (readonly ['user' | 'assistant', string])[]): NewOllmEvent => ({
    type: 'compaction.completed',
    data: {
      strategy: 'summarize',
      covers: { from: 0, to },
      keptFrom: to + 1,
      messages: messages.map(([role, text]) => ({ role, parts: [{ type: 'text' as const, text }] })),
      tokensBefore: 100,
      tokensAfter: 10,
      by: 'auto',
    },
  }),
  uncompacted: (seq: number): NewOllmEvent => ({ type: 'compaction.undone', data: { seq } }),
} as const;
