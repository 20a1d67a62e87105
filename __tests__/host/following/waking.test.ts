import { setImmediate as nextRound } from 'node:timers/promises';
import { createWaking } from '../../../lib/host/following/waking.ts';

describe('followers that are woken at the same time', () => {
  it('take turns a few at a time, each once, in their order', async () => {
    const waking = createWaking();
    const woken: number[] = [];
    const wakes = Array.from({ length: 40 }, (_, at) => () => void woken.push(at));
    for (const wake of [...wakes, ...wakes]) waking.soon(wake);
    expect(woken).toEqual([]);
    await nextRound();
    expect(woken.length).toBeGreaterThan(0);
    expect(woken.length).toBeLessThan(40);
    for (let rounds = 0; rounds < 40; rounds += 1) await nextRound();
    expect(woken).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  it('are not woken once they have left', async () => {
    const waking = createWaking();
    const woken: string[] = [];
    const leaves = () => void woken.push('left');
    waking.soon(leaves);
    waking.soon(() => void woken.push('stayed'));
    waking.remove(leaves);
    for (let rounds = 0; rounds < 3; rounds += 1) await nextRound();
    expect(woken).toEqual(['stayed']);
  });
});
