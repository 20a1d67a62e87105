// A process that is killed at the worst moments, on a real kernel. What it had said was stored is there.
import { openWorkshop, type Workshop } from './child.ts';
import { DEADLY_CALLS, killAtRandom, killBefore, prepareTemplate, type Template } from './kill-cases.ts';
import { describeWith } from './needs.ts';
import { inParallel } from './parallel.ts';

const LIMIT_MS = 120_000;
const RUNS = Number(process.env.LAB_KERNEL_RUNS ?? 1);
let workshop: Workshop;
let template: Template;

beforeAll(async () => {
  workshop = openWorkshop();
  template = await prepareTemplate(workshop);
}, LIMIT_MS);
afterAll(() => workshop[Symbol.dispose]());

describeWith('strace', 'a process killed before a call', () => {
  it.each(DEADLY_CALLS)(
    'that is a %s, whichever of them, loses nothing, and all goes on',
    async (call) => {
      const isOver = { value: false };
      let deaths = 0;
      let checked = 0;
      await inParallel(2, function* () {
        for (let nth = 1; !isOver.value; nth += 1) {
          yield async () => {
            const found = await killBefore(workshop, template, call, nth);
            if (found === undefined) isOver.value = true;
            else deaths += 1;
            checked += found ?? 0;
          };
        }
      });
      expect(deaths).toBeGreaterThan(0);
      expect(checked).toBeGreaterThan(10 * deaths);
    },
    LIMIT_MS,
  );
});

describe('a process killed at any moment', () => {
  it(
    'loses nothing over many lives',
    async () => {
      const seeds = Array.from({ length: 2 * RUNS }, (_, index) => index + 1);
      const checked = await Promise.all(seeds.map((seed) => killAtRandom(workshop, seed, 8)));
      expect(Math.min(...checked)).toBeGreaterThan(50);
    },
    LIMIT_MS * RUNS,
  );
});
