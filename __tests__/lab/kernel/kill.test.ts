// A process that is killed at the worst moments, on a real kernel. Everything that it acknowledged is stored.
import { times } from '../../support/times.ts';
import { openWorkshop, type Workshop } from './child.ts';
import { DEADLY_CALLS, killAtRandom, killBefore, prepareTemplate, type Template } from './kill-cases.ts';
import { describeWith } from './needs.ts';

const RUNS = times(1);
let workshop: Workshop;
let template: Template;

beforeAll(async () => {
  workshop = openWorkshop();
  template = await prepareTemplate(workshop);
});
afterAll(() => workshop[Symbol.dispose]());

describeWith('strace', 'a process killed before a call', () => {
  // The first and the second of each kind, where there are two; `npm run lab -- --only kernel` takes all of them.
  it.each(DEADLY_CALLS)('that is a %s loses nothing, and the session continues', async (call) => {
    expect(await killBefore(workshop, template, call, 1)).toBeGreaterThan(10);
    const second = await killBefore(workshop, template, call, 2);
    if (second !== undefined) expect(second).toBeGreaterThan(10);
  });
});

describe('a process killed at any moment', () => {
  it('loses nothing over many lives', async () => {
    const seeds = Array.from({ length: 2 * RUNS }, (_, index) => index + 1);
    const checked = await Promise.all(seeds.map((seed) => killAtRandom(workshop, seed, 8)));
    expect(Math.min(...checked)).toBeGreaterThan(50);
  });
});
