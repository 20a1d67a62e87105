// The machine dies: an ext4 of our own is shut down under a session.
import { times } from '../../support/times.ts';
import { openWorkshop, type Workshop } from './child.ts';
import { describeWith } from './needs.ts';
import { cutPower, MOUNT_MODES, type Shutdown } from './power-cases.ts';

const RUNS = times(1);
let workshop: Workshop;
beforeAll(() => {
  workshop = openWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

describeWith('ext4', 'an ext4 that loses power', () => {
  it.each(MOUNT_MODES.map((mode, index) => [mode, (['not flushed', 'flushed'] as const)[index % 2]!] as const))(
    'with %s, and its journal %s, a file system has everything that was acknowledged at disk',
    async (mode, shutdown: Shutdown) => {
      for (let seed = 1; seed <= RUNS; seed += 1) {
        expect(await cutPower(workshop, mode, shutdown, seed)).toBeGreaterThan(10);
      }
    },
  );
});
