// Changed context in the requests of any conversation: sent texts stay in their place, and the newest text of each
// entry is the valid one.
import fc from 'fast-check';
import { assemble } from '../../lib/context/assemble.ts';
import type { Assembled } from '../../lib/context/assembled.ts';
import { viewTokens } from '../../lib/context/compaction/plan.ts';
import { isOllmError } from '../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { createReplayer, trimStates } from '../../lib/projections/replayer.ts';
import { type ViewState, viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession, eventOf } from '../support/arbitrary-session.ts';
import { event, stored } from '../support/event-list.ts';

type Events = Parameters<typeof stored>[0];
const KEYS = ['a', 'b', 'c'];

function viewOf(events: Events): ViewState {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view;
}

function tryToAssemble(view: ViewState, contextWindow: number | undefined): Assembled | undefined {
  try {
    return assemble(view, { reserveTokens: 0, contextWindow });
  } catch (error) {
    if (isOllmError(error, 'CONTEXT_TOO_SMALL')) return undefined;
    throw error;
  }
}

const change: fc.Arbitrary<NewOllmEvent> = fc.oneof(
  fc
    .record({
      key: fc.constantFrom(...KEYS),
      content: fc.constantFrom('one', 'two', 'three'),
      priority: fc.nat({ max: 2 }),
      seconds: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
    })
    .map(({ key, content, priority, seconds }) => {
      const expiresAt = new Date(Date.UTC(2026, 0, 1) + (seconds ?? 0) * 1000).toISOString();
      return event.context(key, content, {
        priority,
        trusted: key !== 'a',
        ...(seconds === undefined ? {} : { expiresAt }),
      });
    }),
  fc.constantFrom(...KEYS).map((key): NewOllmEvent => ({ type: 'context.removed', data: { key, reason: 'expired' } })),
);
/** Two entries that come, expire and leave in any way between the user's words. */
const comingAndGoing: fc.Arbitrary<Events[number]> = fc
  .record({
    kind: fc.constantFrom('context', 'context', 'context-removed', 'context-cleared', 'user'),
    pick: fc.constantFrom(0, 1, 4, 5, 8, 12, 16),
    text: fc.constantFrom('one', 'two'),
    trusted: fc.boolean(),
  })
  .map((step) => eventOf(step, 1));
const changes = fc.array(change, { maxLength: 3 });
const turn = fc.record({ before: changes, during: changes, calls: fc.boolean(), after: changes });

/** Events, and how many of them there were at each request. */
function conversation(turns: readonly { [Name in 'before' | 'during' | 'after']: readonly NewOllmEvent[] }[]) {
  const events: NewOllmEvent[] = [event.created(), event.said('system', 'Terse.')];
  const requests: number[] = [];
  turns.forEach(({ before, during, after, ...more }, index) => {
    events.push(...before, event.said('user', `question ${index}`));
    requests.push(events.length);
    if ('calls' in more && more.calls) {
      events.push(event.asked(`c${index}`), ...during, event.finished(`c${index}`), ...after);
      requests.push(events.length);
    }
    events.push(event.said('assistant', `answer ${index}`));
  });
  return { events, requests };
}

/** Whether the newest event about an entry is one by which the user takes it out. */
function wasTakenOut(events: Events, key: string): boolean {
  const isAbout = ({ type, data }: Events[number]) =>
    type === 'context.cleared' || (type.startsWith('context.') && (data as { key?: unknown }).key === key);
  const newest = events.findLast(isAbout);
  return newest !== undefined && newest.type !== 'context.added';
}

describe('any conversation with changing context', () => {
  it('begins each request with the previous one', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 2, maxLength: 6 }), (turns) => {
        const { events, requests } = conversation(turns);
        const sent = requests.map((length) => assemble(viewOf(events.slice(0, length)), { reserveTokens: 0 }));
        for (const [index, { system, messages }] of sent.slice(1).entries()) {
          expect(system).toBe(sent[index]!.system);
          expect(messages.slice(0, sent[index]!.messages.length)).toEqual(sent[index]!.messages);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['after any other events', arbitrarySession()],
    ['also with mostly changing context', fc.array(comingAndGoing, { maxLength: 12 })],
  ])('has last the valid text of each entry, %s, and in any window', (_, sessions) => {
    fc.assert(
      fc.property(sessions, fc.option(fc.integer({ min: 0, max: 1500 }), { nil: undefined }), (events, room) => {
        const view = viewOf(events);
        const request = tryToAssemble(view, room);
        if (request === undefined) return;
        const texts = [
          request.system,
          ...request.messages.flatMap((each) => (each.role === 'context' ? [each.text] : [])),
        ];
        for (const key of [0, 1, 2, 3].map((number) => `key-${number}`)) {
          const entry = view.context.entries.find((each) => each.key === key);
          const gone = `The section "## ${key}" no longer holds.`;
          const newest = texts.findLast((text) => text.includes(`## ${key}`));
          if (entry?.trusted === false)
            for (const text of texts) expect(text).not.toMatch(new RegExp(`## ${key}\\n\\n(?!<<<untrusted)`));
          if (wasTakenOut(events, key)) expect(newest).toBeUndefined();
          if (entry === undefined) expect(newest ?? gone).toContain(gone);
          else {
            expect(newest).toContain(entry.content);
            expect(newest).not.toContain(gone);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives equal requests from a stored state, and from the journal up to that event', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const { events, requests } = conversation(turns);
        const live = createReplayer({ view: viewFold });
        for (const [index, one] of stored(events).entries()) {
          live.see(one);
          if (!requests.includes(index + 1)) continue;
          const again = JSON.parse(JSON.stringify(live.states.view)) as ViewState;
          const replayed = viewOf(events.slice(0, index + 1));
          for (const view of [again, replayed])
            expect(assemble(view, { reserveTokens: 0 })).toEqual(assemble(live.states.view, { reserveTokens: 0 }));
        }
      }),
    );
  });
});

describe('a long conversation', () => {
  it('gives equal requests from a state trimmed to the largest window', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 4, maxLength: 12 }),
        fc.integer({ min: 80, max: 400 }),
        fc.nat(),
        (turns, room, at) => {
          const { events } = conversation(turns);
          // A compaction somewhere, which an undo of it takes back at the end.
          const seq = 4 + (at % (events.length - 4));
          const all = events.toSpliced(seq, 0, event.compacted(0, seq - 2, 'Earlier.'));
          for (const list of [all, [...all, event.uncompacted(seq)]]) {
            const [whole, trimmed] = [createReplayer({ view: viewFold }), createReplayer({ view: viewFold })];
            for (const one of stored(list)) {
              whole.see(one);
              trimmed.see(one);
              trimStates({ view: viewFold }, trimmed.states, room);
            }
            const { view } = trimmed.states;
            if (view.timeline.incomplete) continue;
            expect(tryToAssemble(view, room)?.messages).toEqual(tryToAssemble(whole.states.view, room)?.messages);
            expect(tryToAssemble(view, room)?.system).toBe(tryToAssemble(whole.states.view, room)?.system);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keeps of replaced context at most the content of one window', () => {
    const replayer = createReplayer({ view: viewFold }, { capTokens: 500 });
    const commits = Array.from({ length: 5000 }, (_, at) => event.context('git', `Commit: ${at}`));
    for (const one of stored([event.created(), event.said('user', 'hi'), ...commits])) replayer.see(one);
    trimStates({ view: viewFold }, replayer.states, 500);
    const { versions } = replayer.states.view.shown;
    expect(versions.reduce((sum, { entry }) => sum + (entry?.tokens.count ?? 0), 0)).toBeLessThanOrEqual(500);
  });
});

describe('a changed context entry', () => {
  const messagesOf = (events: Events, contextWindow?: number) => {
    const { system, messages } = assemble(viewOf([event.created(), ...events]), { reserveTokens: 0, contextWindow });
    return [system, ...messages.map((message) => JSON.stringify(message))];
  };
  const git = (commit: string) => event.context('git', commit, { source: 'system', trusted: false });

  it('stays in its place after an undo, and an undone entry is repeated before the next question', () => {
    const begun = [event.said('user', 'one'), event.said('assistant', 'ok'), git('a1')];
    const kept = messagesOf([...begun, event.said('user', 'two')]);
    const undone = [...begun, event.said('user', 'two'), event.said('assistant', 'no'), git('b2'), event.moved(3)];
    const after = messagesOf([...undone, event.said('user', 'other')]);
    expect(after.slice(0, 3)).toEqual(kept.slice(0, 3));
    expect(after.slice(3).join('')).toMatch(/b2.*other/);
    expect(after.join('')).not.toContain('two');
  });

  it('is moved to the beginning by a compaction, and back when that is undone', () => {
    const events = [
      event.said('user', 'one'),
      event.said('assistant', 'ok'),
      git('a1'),
      event.said('user', 'two'),
      git('b2'),
    ];
    const before = messagesOf(events);
    const compacted = messagesOf([...events, event.compacted(0, 2)]);
    expect(compacted[0]).toContain('b2');
    expect(compacted.join('')).not.toContain('a1');
    expect(compacted).toHaveLength(2);
    expect(messagesOf([...events, event.compacted(0, 2), event.uncompacted(6)])).toEqual(before);
  });

  it('is at the beginning if the messages around it do not fit the window', () => {
    const long = 'x'.repeat(4000);
    const events = [
      event.said('user', 'one'),
      git('a1'),
      event.said('assistant', long),
      git('b2'),
      event.said('user', 'two'),
    ];
    expect(messagesOf(events)[0]).not.toContain('## git');
    const cut = messagesOf(events, 700);
    expect(cut[0]).toContain('b2');
    expect(cut).toHaveLength(2);
  });

  it('is at the beginning for a model that has read nothing yet, and not for the same one', () => {
    const switched = (model: string): NewOllmEvent => ({ type: 'model.changed', data: { provider: 'p', model } });
    const begun = [event.said('user', 'one'), event.said('assistant', 'ok'), git('a1')];
    const after = [git('b2'), event.said('user', 'two')];
    const [system, ...messages] = messagesOf([...begun, switched('other'), ...after]);
    expect(system).toContain('b2');
    expect(messages.join('')).not.toContain('## git');
    expect(messagesOf([...begun, switched('m'), ...after])).toEqual(messagesOf([...begun, ...after]));
  });

  it('is counted with its earlier text, until a compaction', () => {
    const begun = [
      event.created(),
      event.context('k', 'x'.repeat(400)),
      event.said('user', 'hi'),
      event.said('assistant', 'ok'),
    ];
    const changed = [...begun, event.context('k', 'y'.repeat(300))];
    expect(viewTokens(viewOf(changed)) - viewTokens(viewOf(begun))).toBe(300);
    const compacted = viewOf([...changed, event.compacted(0, 2)]);
    expect(viewTokens(compacted)).toBeLessThan(viewTokens(viewOf(begun)));
  });

  it('that came and went between two messages is not mentioned', () => {
    const begun = [event.context('note', 'one'), event.said('user', 'one'), event.said('assistant', 'ok')];
    const again = [
      ...[event.context('note', 'other'), event.context('new', 'short')],
      { type: 'context.removed', data: { key: 'new', reason: 'expired' } } as const,
      event.context('note', 'one'),
    ];
    const question = event.said('user', 'two');
    expect(messagesOf([...begun, ...again, question])).toEqual(messagesOf([...begun, question]));
  });
});
