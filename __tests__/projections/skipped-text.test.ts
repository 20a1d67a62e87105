import { openMemoryStore } from '../../lib/journal/memory-store.ts';
import type { NewEvent } from '../../lib/journal/types.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { replay } from '../../lib/projections/replay.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { viewFold } from '../../lib/projections/view.ts';

const LONG = 'what a tool said, "quoted" and not. '.repeat(50);
const tokens = { count: 450, method: 'estimated' };

async function journalOf(...results: object[]) {
  const store = openMemoryStore({
    clock: manualClock(),
    ids: countingIds(),
    process: thisProcess('test'),
    log: silentLog,
  });
  const writer = await store.create('s', { model: 'm', provider: 'offline', ollm: '0.0.0' });
  for (const [index, data] of results.entries()) {
    const callId = `call-${index}`;
    const events: NewEvent[] = [
      { type: 'tool.requested', turn: 1, data: { callId, name: 'read', args: {} } },
      { type: 'tool.finished', turn: 1, data: { callId, ...data } },
    ];
    await writer.append(events);
  }
  await writer.close();
  return store.openReader('s');
}

describe('a text that a fold does not look at', () => {
  it('changes nothing of its state, be it parsed for another fold or not', async () => {
    const finished = { status: 'ok', durationMs: 1, trusted: false };
    const reader = await journalOf(
      { ...finished, result: { llmContent: LONG }, tokens },
      { ...finished, tokens, result: { llmContent: LONG } },
      // The first end of an object behind the text is that of `tokens`, which would be lost.
      { result: { llmContent: LONG, more: 1 }, tokens, ...finished },
      { ...finished, result: { llmContent: '' }, tokens },
    );
    const alone = replay(reader, { budget: budgetFold, summary: summaryFold });
    const beside = replay(reader, { budget: budgetFold, summary: summaryFold, view: viewFold });
    expect(alone.states).toEqual({ budget: beside.states.budget, summary: beside.states.summary });
    expect(alone.states.summary.tokenCount).toBe(4 * tokens.count);
    expect(alone.counts).toEqual({ ...beside.counts, invalid: 0 });
  });

  it('is still told when the data is not what its schema says', async () => {
    const reader = await journalOf({ status: 'ok', result: { llmContent: LONG }, tokens, durationMs: 'long' });
    expect(replay(reader, { budget: budgetFold }).counts.invalid).toBe(1);
  });
});
