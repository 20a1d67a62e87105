import { lastLiveTurn } from '../../lib/session/last-turn.ts';
import { memoryWorld, turnEvents, viewTexts } from './world.ts';

describe('the last live turn', () => {
  it('is the one before the undone turns, after any number of undos', async () => {
    const world = memoryWorld();
    const session = await world.create();
    for (const turn of [1, 2, 3]) await session.append(turnEvents(turn, `q${turn}`, `a${turn}`));
    const undo = async (): Promise<string | undefined> => {
      const reader = world.store.openReader('notes');
      const last = await lastLiveTurn(reader);
      reader.close();
      if (last) await session.append({ type: 'branch.moved', data: { head: last.before, reason: 'undo' } });
      return last?.input;
    };
    expect(await undo()).toBe('q3');
    expect(viewTexts(session)).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2']);
    await session.append(turnEvents(4, 'q4', 'a4'));
    expect(await undo()).toBe('q4');
    expect(await undo()).toBe('q2');
    expect(await undo()).toBe('q1');
    expect(viewTexts(session)).toEqual([]);
    expect(await undo()).toBeUndefined();
    await session.close('exit');
  });
});
