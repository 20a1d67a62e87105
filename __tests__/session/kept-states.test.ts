// The states that an open session has in memory: bounded by the window of its model, whether it is saved or not, and
// enough for every request.
import type { JournalStore } from '../../lib/journal/types.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Session } from '../../lib/session/session.ts';
import { memoryWorld, OPTIONS, turnEvents, viewTexts } from './world.ts';

const WINDOW = 16_384;
const CREATED = { provider: 't', model: 'm', ollm: '0', contextWindow: WINDOW };
/** Tokens and bytes of a turn are about 4,000 and 16,000. */
const WORDS = 'word '.repeat(1_600);
/** Twice a window, the tokens of a turn, and those added until the states are trimmed again: half of the messages. */
const BOUND = 200_000;

describe('the states of an open session', () => {
  it('are bounded by the window if the session is never saved', async () => {
    const { session } = await longSession(100);
    expect(heldTokens(session)).toBeLessThan(BOUND);
    expect(viewTexts(session).at(-1)).toBe(`assistant: 100. ${WORDS}`);
    expect(session.states.summary.messageCount).toBe(200);
    await session.close('exit');
  });

  it('are bounded by the window if the whole journal had to be read', async () => {
    const { session, store } = await longSession(100);
    await session.close('exit');
    await store.removeDocument('notes', 'state');
    const again = await openSession(store, 'notes', OPTIONS);
    expect(heldTokens(again)).toBeLessThan(BOUND);
    expect(again.states.summary.messageCount).toBe(200);
    await again.close('exit');
  });

  it('equal the journal after an undo to a trimmed turn, immediately and after reopening', async () => {
    const { session, store, heads } = await longSession(100);
    await session.append({ type: 'branch.moved', data: { head: heads[1]!, reason: 'undo' } });
    expect(viewTexts(session)).toEqual([1, 2].flatMap(textsOfTurn));
    await session.append(turnEvents(101, 'and?', 'so.'));
    await session.close('exit');
    await store.removeDocument('notes', 'state');
    const again = await openSession(store, 'notes', OPTIONS);
    expect(viewTexts(again)).toEqual([...[1, 2].flatMap(textsOfTurn), 'user: and?', 'assistant: so.']);
    await again.close('exit');
  });

  it("grow for a request of more tokens than the model's window in the journal", async () => {
    const { session } = await longSession(100);
    expect(viewTexts(session).length).toBeLessThan(200);
    await session.reach(100 * 5_000);
    expect(viewTexts(session)).toEqual(Array.from({ length: 100 }, (_, index) => textsOfTurn(index + 1)).flat());
    await session.append(turnEvents(101, 'and?', 'so.'));
    await session.save({ snapshot: 'now' });
    expect(viewTexts(session)).toHaveLength(202);
    await session.close('exit');
  });
});

/** With the seq of the last event of each turn. */
async function longSession(turns: number): Promise<{ session: Session; store: JournalStore; heads: number[] }> {
  const world = memoryWorld();
  const session = await world.create('notes', { created: CREATED });
  const heads: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const receipts = await session.append(turnEvents(turn, `${turn}? ${WORDS}`, `${turn}. ${WORDS}`));
    heads.push(receipts.at(-1)!.seq);
  }
  return { session, store: world.store, heads };
}

function textsOfTurn(turn: number): string[] {
  return [`user: ${turn}? ${WORDS}`, `assistant: ${turn}. ${WORDS}`];
}

function heldTokens({ states }: Session): number {
  return states.view.timeline.entries.reduce((sum, { tokens }) => sum + tokens, 0);
}
