import * as fc from 'fast-check';
import { Lanes } from '../../lib/platform/lanes.ts';

/** Each piece of work takes some microtasks, and may fail; the caller comes with the next one after a while. */
const pieces = fc.array(fc.record({ ticks: fc.nat({ max: 6 }), fails: fc.boolean(), pause: fc.nat({ max: 8 }) }), {
  maxLength: 20,
});

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
}

describe('lanes', () => {
  test('begin work in the order in which it came, never more at once than there are lanes', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 4 }), async (works, count) => {
        const lanes = new Lanes(count);
        const begun: number[] = [];
        let running = 0;
        const results: Promise<unknown>[] = [];
        for (const [index, { ticks, fails, pause }] of works.entries()) {
          const work = async () => {
            begun.push(index);
            running += 1;
            expect(running).toBeLessThanOrEqual(count);
            await pass(ticks);
            running -= 1;
            if (fails) throw new Error(`${index} failed`);
            return index;
          };
          results.push(lanes.run(work).catch((error: Error) => error.message));
          expect(begun).not.toContain(index);
          await pass(pause);
        }
        const expected = works.map(({ fails }, index) => (fails ? `${index} failed` : index));
        expect(await Promise.all(results)).toEqual(expected);
        expect(begun).toEqual(works.map((_, index) => index));
        expect(lanes.isIdle).toBe(true);
      }),
    );
  });

  test('give a caller its result or its error before the work begins that waited for it', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (works) => {
        const lane = new Lanes(1);
        const seen: string[] = [];
        const callers = works.map(async ({ ticks, fails }, index) => {
          try {
            await lane.run(async () => {
              seen.push(`begun ${index}`);
              await pass(ticks);
              if (fails) throw new Error('broken');
            });
          } catch {
            // An error is an answer too.
          }
          seen.push(`answered ${index}`);
        });
        await Promise.all(callers);
        expect(seen).toEqual(works.flatMap((_, index) => [`begun ${index}`, `answered ${index}`]));
      }),
    );
  });

  test('are idle when all work has ended, also work that came during the wait', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 3 }), async (works, count) => {
        const lanes = new Lanes(count);
        let [begun, ended] = [0, 0];
        /** Each piece of work starts another one before it ends. */
        const start = (left: readonly (typeof works)[number][]): void => {
          const [next, ...others] = left;
          if (next === undefined) return;
          begun += 1;
          const work = async () => {
            await pass(next.ticks);
            start(others);
            ended += 1;
            if (next.fails) throw new Error('broken');
          };
          lanes.run(work).catch(() => {});
        };
        for (let lane = 0; lane <= count; lane += 1) start(works);
        await lanes.idle();
        expect([begun, ended]).toEqual(Array(2).fill((count + 1) * works.length));
        expect([lanes.isIdle, lanes.running, lanes.waiting]).toEqual([true, 0, 0]);
      }),
    );
  });

  test('leave out work whose signal aborts while it waits, and go on with the next', async () => {
    const leaves = fc.array(fc.boolean(), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(leaves, fc.integer({ min: 1, max: 3 }), async (works, count) => {
        const lanes = new Lanes(count);
        const gate = Promise.withResolvers<void>();
        const held = Array.from({ length: count }, () => lanes.run(() => gate.promise));
        const begun: number[] = [];
        const all = works.map((isLeaving, index) => {
          const leaving = new AbortController();
          const result = lanes.run(async () => begun.push(index), leaving.signal).catch(({ code }) => code);
          return { isLeaving, leaving, result };
        });
        expect([lanes.running, lanes.waiting]).toEqual([count, works.length]);
        for (const { isLeaving, leaving } of all) if (isLeaving) leaving.abort();
        const left = all.filter(({ isLeaving }) => isLeaving);
        expect(await Promise.all(left.map(({ result }) => result))).toEqual(left.map(() => 'INTERRUPTED'));
        expect(lanes.waiting).toBe(works.length - left.length);
        gate.resolve();
        await Promise.all([...held, lanes.idle()]);
        expect(begun).toEqual(works.flatMap((isLeaving, index) => (isLeaving ? [] : [index])));
      }),
    );
  });

  test('keep their order, and no work that has ended, where thousands wait', async () => {
    const lane = new Lanes(1);
    const begun: number[] = [];
    const ended = Array.from({ length: 5_000 }, (_, index) => lane.run(async () => begun.push(index)));
    await Promise.all(ended);
    expect(begun).toEqual(ended.map((_, index) => index));
    expect(lane.isIdle).toBe(true);
  });
});
