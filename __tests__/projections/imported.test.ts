// What imports bring and ollm's own turns do not: messages in several events, usage reported again and again, messages
// of programs in the role of the user, replaced messages, compactions that carry messages, times and counts that are
// not known.
import fc from 'fast-check';
import { stepsOf } from '../../lib/context/steps.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { NewEvent } from '../../lib/journal/types.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { createLoopFold, DEFAULT_LOOP_CONFIG, loopFold } from '../../lib/projections/loop.ts';
import { replay } from '../../lib/projections/replay.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { rowOfSummary, type SummaryState, summaryFold } from '../../lib/projections/summary.ts';
import { countedEntries, currentSummary } from '../../lib/projections/timeline.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { openEndsFold } from '../../lib/session/open-ends.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const FOLDS = {
  session: sessionFold,
  view: viewFold,
  budget: budgetFold,
  loop: loopFold,
  summary: summaryFold,
  openEnds: openEndsFold,
};

const statesAfter = async (events: readonly (NewOllmEvent | NewEvent)[]) =>
  (await replay(readerOf(stored(events)), FOLDS)).states;
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
/** Does the same without places, which differ where the same is said in more events. */
const placeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) =>
    ['seq', 'ts', 'timestamp', 'startTime', 'lastActivity'].includes(name) ? undefined : member,
  );
const with_ = (one: NewOllmEvent, more: object) => ({ ...one, data: { ...one.data, ...more } }) as NewOllmEvent;

describe('a message in several events', () => {
  const answer = (texts: readonly string[], isSplit: boolean) => {
    const parts = texts.map((text) => ({ type: 'text' as const, text }));
    const tokens = { count: 0, method: 'counted' as const };
    if (!isSplit) return [event.said('assistant', '', { parts, tokens, message: 'm1' })];
    return parts.map((part) => event.said('assistant', '', { parts: [part], tokens, message: 'm1' }));
  };
  const around = (said: readonly NewOllmEvent[]) => [
    event.created(),
    event.said('user', 'Go.'),
    ...said,
    event.said('user', 'And now?'),
  ];

  it('equals the message in one event', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), async (texts) => {
        const [split, whole] = await Promise.all(
          [true, false].map((isSplit) => statesAfter(around(answer(texts, isSplit)))),
        );
        expect(placeless(countedEntries(split!.view.timeline))).toEqual(
          placeless(countedEntries(whole!.view.timeline)),
        );
        expect(placeless(sessionJson(split!.session))).toEqual(placeless(sessionJson(whole!.session)));
        const counted = ({ messageCount, turnCount, tokenCount }: SummaryState) => [
          messageCount,
          turnCount,
          tokenCount,
        ];
        expect(counted(split!.summary)).toEqual(counted(whole!.summary));
        expect(split!.budget.parts).toEqual(whole!.budget.parts);
      }),
    );
  });

  it('is one answer with its calls, also with a result in between', async () => {
    const { view, loop, summary } = await statesAfter([
      event.created(),
      event.said('user', 'Go.'),
      event.said('assistant', 'First.', { message: 'm1' }),
      with_(event.asked('a'), { message: 'm1' }),
      event.finished('a'),
      event.said('assistant', 'Second.', { message: 'm1' }),
      with_(event.asked('b'), { message: 'm1' }),
      event.finished('b'),
    ]);
    const steps = stepsOf(countedEntries(view.timeline));
    expect(steps.map(({ items }) => items.map(({ kind }) => kind))).toEqual([['message'], ['message', 'call', 'call']]);
    expect(steps[1]?.items[0]).toMatchObject({ parts: [{ text: 'First.' }, { text: 'Second.' }] });
    expect([loop.turns, summary.messageCount]).toEqual([1, 2]);
  });

  it('has no part of an undone message, or of a different turn', async () => {
    const said = event.said('assistant', 'Again.', { message: 'm1' });
    const undone = await statesAfter([event.created(), event.said('user', 'Go.'), said, event.moved(1), said]);
    expect(countedEntries(undone.view.timeline)).toHaveLength(2);
    const later = await statesAfter([event.created(), said, event.said('user', 'Go.'), said]);
    expect(countedEntries(later.view.timeline)).toHaveLength(3);
  });
});

describe('repeated usage of one message', () => {
  it('counts once, with the last report', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }), async (outputs) => {
        const reports = outputs.map((output) => event.used(10, output, { message: 'm1', totalCost: 1 }));
        const other = event.used(5, 5, { message: 'm0' });
        const last = reports.at(-1)!;
        const before = [
          event.created(),
          { type: 'turn.started', turn: 1, data: { input: 'Go.' } } as NewOllmEvent,
          other,
        ];
        const all = await statesAfter([...before, ...reports]);
        const once = await statesAfter([...before, last]);
        expect(all.budget.spent).toEqual(once.budget.spent);
        expect(all.budget.reported).toEqual(once.budget.reported);
        expect(all.openEnds.turn?.steps).toBe(2);
      }),
    );
  });
});

describe('an injected message in the role of the user', () => {
  it('is not a question: it begins no turn, and does not restart the loop guard', async () => {
    const answers = Array.from({ length: 4 }, () => [
      event.said('assistant', 'Still working on it.'),
      event.said('user', 'reminder', { synthetic: true, trusted: false }),
    ]).flat();
    const { view, summary } = await statesAfter([event.created(), event.said('user', 'Go.'), ...answers]);
    expect(countedEntries(view.timeline).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
    expect([summary.turnCount, summary.messageCount]).toEqual([1, 9]);
    const guarded = await replay(readerOf(stored([event.created(), event.said('user', 'Go.'), ...answers])), {
      loop: createLoopFold({ ...DEFAULT_LOOP_CONFIG, repeatThreshold: 4 }),
    });
    expect(guarded.states.loop.verdict?.pattern).toBe('repeated-output');
  });
});

describe('a message that was replaced', () => {
  it('has its new parts and tokens in all views and counts, and keeps its place', async () => {
    const changed: NewOllmEvent = {
      type: 'message.replaced',
      data: { message: 'm1', parts: [{ type: 'text', text: 'Corrected.' }], tokens: { count: 7, method: 'counted' } },
    };
    const begin = [event.created(), event.said('assistant', 'Wrong.', { message: 'm1' }), event.said('user', 'Oh?')];
    const replaced = await statesAfter([...begin, changed]);
    expect(countedEntries(replaced.view.timeline)[0]).toMatchObject({ parts: changed.data.parts, tokens: 7 });
    expect(sessionJson(replaced.session).messages[0]?.parts).toEqual(changed.data.parts);
    expect(replaced.summary.tokenCount).toBe(7 + 'Oh?'.length);
    expect(replaced.budget.parts.history.count).toBe(7 + 'Oh?'.length);
    expect((await statesAfter([event.created(), changed])).view.timeline.entries).toEqual([]);
  });
});

describe('a compaction with messages', () => {
  const messages = [
    { role: 'user' as const, parts: [{ type: 'text' as const, text: 'What we did.' }] },
    { role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Noted.' }] },
  ];
  const before = [
    event.created(),
    event.said('system', 'Be brief.'),
    event.said('user', 'One?'),
    event.said('assistant', 'One.'),
    event.compacted(2, 3, 'an older summary'),
  ];
  const compacted = with_(event.compacted(2, 4), { messages });

  it('puts them in place of everything before, except the system prompt', async () => {
    const { view, budget, session } = await statesAfter([...before, compacted, event.said('user', 'Two?')]);
    const texts = countedEntries(view.timeline).map((item) =>
      item.kind === 'message' ? item.parts.map((part) => (part.type === 'text' ? part.text : '')).join() : item.kind,
    );
    expect(texts).toEqual(['Be brief.', 'What we did.', 'Noted.', 'Two?']);
    expect(currentSummary(view.timeline)).toBeUndefined();
    const tokens = estimateTokens('What we did.') + estimateTokens('Noted.') + 'Two?'.length;
    expect(budget.parts.history).toEqual({ count: tokens, method: 'estimated' });
    expect(sessionJson(session).messages).toHaveLength(4);
  });

  it('removes them again when it is undone', async () => {
    const undone = await statesAfter([...before, compacted, event.uncompacted(5)]);
    expect(plain(countedEntries(undone.view.timeline))).toEqual(
      plain(countedEntries((await statesAfter(before)).view.timeline)),
    );
    expect(undone.budget.parts).toEqual((await statesAfter(before)).budget.parts);
  });
});

describe('unknown values of an import', () => {
  it('are estimated for tokens, and marked so', async () => {
    const { tokens: _, ...message } = event.said('assistant', 'Ten words of text, or so.').data as { tokens: unknown };
    const {
      tokens: __,
      durationMs: ___,
      ...result
    } = event.finished('a', 'the result').data as Record<string, unknown>;
    const { budget, view, summary } = await statesAfter([
      event.created(),
      { type: 'message.added', data: message } as NewOllmEvent,
      event.asked('a'),
      { type: 'tool.finished', data: result } as unknown as NewOllmEvent,
    ]);
    const expected = estimateTokens('Ten words of text, or so.');
    expect(budget.parts.history).toEqual({ count: expected, method: 'estimated' });
    expect(view.timeline.entries[0]?.tokens).toBe(expected);
    expect(budget.parts.tools.method).toBe('estimated');
    expect(summary.tokenCount).toBe(expected + estimateTokens('the result'));
  });

  it('are the time of storing if the original time is missing', async () => {
    const at = (month: number) => `2024-0${month}-01T00:00:00.000Z`;
    const { summary, session } = await statesAfter([
      with_(event.created(), { at: at(1) }),
      event.said('user', 'Go.', { at: at(2) }),
      with_(event.asked('a'), { at: at(3) }),
      with_(event.finished('a'), { at: at(4) }),
    ]);
    expect(rowOfSummary(summary)).toMatchObject({ startTime: at(1), lastActivity: at(4) });
    expect(sessionJson(session)).toMatchObject({
      startTime: at(1),
      lastActivity: at(4),
      messages: [{ timestamp: at(2) }],
      toolCalls: [{ timestamp: at(3) }],
    });
  });
});

describe('every fold of an imported session', () => {
  const imported = arbitrarySession().chain((events) =>
    fc
      .array(fc.nat(3), { minLength: events.length, maxLength: events.length })
      .map((picks) =>
        stored(events.map((one, index) => (picks[index] === 0 ? one : marked(one as NewOllmEvent, picks[index]!)))),
      ),
  );

  it('continues from a state that was saved as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(imported, fc.nat(), async (events, pick) => {
        const at = { seq: pick % events.length };
        const { states, lastSeq, position, format, counts } = await replay(readerOf(events), FOLDS, { at });
        const following = createReplayer(FOLDS);
        for (const one of events) following.see(one);
        const from = { states: plain(states), lastSeq, position, format, counts: { ...counts } };
        const resumed = await replay(readerOf(events), FOLDS, { from });
        expect(plain(resumed.states)).toEqual(plain(following.states));
      }),
    );
  });

  function marked(one: NewOllmEvent, pick: number): NewOllmEvent {
    const message = `m${pick}`;
    switch (one.type) {
      case 'message.added':
        return with_(one, one.data.role === 'user' ? { synthetic: true } : { message, tokens: undefined });
      case 'tool.requested':
      case 'usage.reported':
        return with_(one, { message });
      case 'compaction.completed':
        return with_(one, { messages: [{ role: 'user', parts: [{ type: 'text', text: 'what was' }] }] });
      case 'session.titled':
        return { type: 'message.replaced', data: { message, parts: [{ type: 'text', text: one.data.title }] } };
      default:
        return one;
    }
  }
});
