import fc from 'fast-check';
import { run, schedules } from './schedule.ts';

// `npm run lab` draws others for as long as it is given time.
describe('a store on a disk that forgets, tears and fails', () => {
  it('loses nothing that it acknowledged and hides no damage, whatever happens in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(schedules(30), fc.scheduler(), (schedule, scheduler) => run(schedule, scheduler)),
      { numRuns: 40, verbose: 1 },
    );
  });

  it('ends, although a follower looks again and again while a step waits for the event loop', async () => {
    await fc.assert(
      fc.asyncProperty(schedules(30), fc.scheduler(), (schedule, scheduler) => run(schedule, scheduler)),
      { seed: 321200771, path: '86', numRuns: 1 },
    );
  });
});
