import fc from 'fast-check';
import { cursorOver } from '../../lib/journal/reading/cursor.ts';
import type { JournalReader, NewEvent } from '../../lib/journal/types.ts';
import { auditFold } from '../../lib/projections/audit.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { compactionFold } from '../../lib/projections/compaction.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { excerptOf, summaryFold } from '../../lib/projections/summary.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { journalDisk } from '../journal/surgery.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';

const LONG = 'what a tool said, "quoted" and not. '.repeat(50);
const FOLDS = {
  summary: summaryFold,
  budget: budgetFold,
  compaction: compactionFold,
  audit: auditFold,
  session: sessionFold,
  view: viewFold,
};
const tokens = { count: 450, method: 'estimated' };

async function diskWith(events: readonly NewEvent[]) {
  const disk = journalDisk();
  const writer = await disk.create();
  if (events.length > 0) await writer.append(events);
  await writer.close();
  return disk;
}

/** The same lines, each read as a whole. */
function readingAll(reader: JournalReader): JournalReader {
  return { ...reader, cursor: (options) => cursorOver(reader.outcomes(options)) };
}

function expectTheSame(reader: JournalReader): void {
  const { session, view, ...sparing } = FOLDS;
  for (const folds of [FOLDS, sparing, ...Object.entries(FOLDS).map(([name, fold]) => ({ [name]: fold }))]) {
    const { states, counts, anchor } = replay(reader, folds);
    const whole = replay(readingAll(reader), folds);
    expect({ states, counts, anchor }).toEqual({ states: whole.states, counts: whole.counts, anchor: whole.anchor });
  }
}

describe('what a fold does not look at', () => {
  it('changes nothing of its state, be it parsed for another fold or not', async () => {
    const finished = { status: 'ok', durationMs: 1, trusted: false };
    const results = [
      { ...finished, result: { llmContent: LONG }, tokens },
      { ...finished, tokens, result: { llmContent: LONG } },
      { result: { llmContent: LONG, more: 1 }, tokens, ...finished },
      { ...finished, result: { llmContent: '' }, tokens },
    ];
    const events = results.flatMap((data, index): NewEvent[] => [
      { type: 'tool.requested', turn: 1, data: { callId: `call-${index}`, name: 'read', args: {} } },
      { type: 'tool.finished', turn: 1, data: { callId: `call-${index}`, ...data } },
    ]);
    const reader = (await diskWith([...events, ...events])).reader();
    const alone = replay(reader, { budget: budgetFold, summary: summaryFold });
    const beside = replay(reader, { budget: budgetFold, summary: summaryFold, view: viewFold });
    expect(alone.states).toEqual({ budget: beside.states.budget, summary: beside.states.summary });
    expect(alone.states.summary.tokenCount).toBe(8 * tokens.count);
    expect(alone.counts).toEqual(beside.counts);
  });

  it('is still told when the data is not what its schema says, also where a line before it was', async () => {
    const result = { llmContent: LONG };
    const good = { callId: 'a', status: 'ok', result, tokens, durationMs: 5, trusted: false };
    const bad = [
      ...[{ durationMs: 'long' }, { durationMs: -1 }, { status: 'good' }, { trusted: true }, { callId: 5 }],
      ...[{ tokens: { count: -1, method: 'counted' } }, { tokens: { count: 1 } }, { tokens: undefined }],
      { truncated: { originalBytes: 1 } },
    ].map((more) => ({ type: 'tool.finished', data: { ...good, ...more } }));
    const reader = (await diskWith([{ type: 'tool.finished', data: good }, ...bad])).reader();
    const reasons: string[] = [];
    expect(replay(reader, FOLDS, { onInvalid: (_, reason) => reasons.push(reason) }).counts.invalid).toBe(bad.length);
    expect(reasons).toHaveLength(bad.length);
    expectTheSame(reader);
  });

  it('is there, all of it, where another fold does look', async () => {
    const texts = [
      '',
      'short',
      LONG,
      'a \u001b[1mcolour\u001b[0m\n'.repeat(60),
      '日本 "quoted" \\ é😀\ud83d\n'.repeat(60),
    ];
    const events = [...texts, ...texts].flatMap((text, index): NewEvent[] => [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text }], tokens, trusted: true } },
      { type: 'tool.requested', turn: 1, data: { callId: `call-${index}`, name: 'read', args: {} } },
      {
        type: 'tool.finished',
        turn: 1,
        data: {
          callId: `call-${index}`,
          status: 'ok',
          result: { llmContent: text },
          tokens,
          durationMs: 1,
          trusted: false,
        },
      },
    ]);
    const { states } = replay((await diskWith(events)).reader(), { session: sessionFold, view: viewFold });
    const { messages, toolCalls } = sessionJson(states.session);
    expect(messages.map(({ parts }) => parts)).toEqual([...texts, ...texts].map((text) => [{ type: 'text', text }]));
    expect(toolCalls.map(({ result }) => result)).toEqual([...texts, ...texts].map((llmContent) => ({ llmContent })));
    const contents = states.view.timeline.entries.flatMap((item) =>
      item.kind === 'call' ? [item.result?.content] : [],
    );
    expect(contents).toEqual([...texts, ...texts]);
  });

  it('keeps enough of a message for its excerpt, whatever it begins with', async () => {
    const texts = [
      '',
      ' '.repeat(400),
      '日本 '.repeat(60),
      `${'\u0001'.repeat(30)}x`.repeat(9),
      '😀'.repeat(90),
      `a${LONG}`,
    ];
    const events = [LONG, ...texts, ...texts].map((text): NewEvent => {
      const parts = [{ type: 'text', text }];
      return { type: 'message.added', data: { role: 'user', parts, tokens, trusted: true } };
    });
    const { states } = replay((await diskWith(events)).reader(), { summary: summaryFold });
    expect(states.summary.timeline.entries.map(({ excerpt }) => excerpt)).toEqual(
      [LONG, ...texts, ...texts].map((text) => excerptOf([{ type: 'text', text }])),
    );
  });

  const longer = fc.constantFrom('', LONG, `${LONG}"},"tokens":{"count":1`, `"},${LONG}`, '日本語、'.repeat(99));

  it('is read to the same states as everything is, whatever a session holds, with damage and without', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrarySession({ maxLength: 30 }),
        fc.array(longer, { minLength: 1, maxLength: 5 }),
        fc.array(fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), { maxLength: 3 }),
        async (events, texts, flips) => {
          // What the journal writes itself comes first.
          const made = events.slice(1).map((event, index) => withLongText(event, texts[index % texts.length]!, index));
          const disk = await diskWith(made);
          expectTheSame(disk.reader());
          const bytes = disk.bytes();
          for (const { at, byte } of flips) bytes[at % bytes.length] = byte;
          disk.put(bytes);
          expectTheSame(disk.reader());
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** Some of the texts get long, some of the calls have their tokens counted, some events are not what their schema says. */
function withLongText(event: NewEvent, text: string, index: number): NewEvent {
  const data = event.data as Record<string, unknown>;
  if (index % 11 === 10) return { ...event, data: { ...data, tokens: 'none' } };
  if (event.type === 'tool.finished') return { ...event, data: { ...data, result: { llmContent: text } } };
  if (event.type === 'message.added') return { ...event, data: { ...data, parts: [{ type: 'text', text }] } };
  if (event.type !== 'tool.requested' || index % 3 === 0) return event;
  const { callId, name, args } = data;
  return { ...event, data: { callId, name, tokens, args: { ...(args as object), text } } };
}
