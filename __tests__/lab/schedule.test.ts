import fc from 'fast-check';
import { run, schedules } from './schedule.ts';

// `npm run lab` draws others for as long as it is given time.
describe('a store on a disk that forgets, tears and fails', () => {
  it('loses no acknowledged event and hides no damage, with any faults in any order', async () => {
    await fc.assert(
      fc.asyncProperty(schedules(30), fc.scheduler(), (schedule, scheduler) => run(schedule, scheduler)),
      { numRuns: 40, verbose: 1 },
    );
  });

  it('ends, although a follower reads repeatedly while a step waits for the event loop', async () => {
    await fc.assert(
      fc.asyncProperty(schedules(30), fc.scheduler(), (schedule, scheduler) => run(schedule, scheduler)),
      { seed: 321200771, path: '86', numRuns: 1 },
    );
  });
});
