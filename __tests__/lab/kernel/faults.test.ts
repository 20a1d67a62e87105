// Errors of the kernel when a disk fails or is full, and the reaction of a session.
import { existsSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { times } from '../../support/times.ts';
import { seededRandom } from '../random.ts';
import { openWorkshop, type Workshop } from './child.ts';
import { whileMounted, withFileLimit, withInjections } from './fault-cases.ts';
import { checkLedger, Ledger } from './ledger.ts';
import { describeWith } from './needs.ts';
import { inParallel } from './parallel.ts';

const RUNS = times(1);
let workshop: Workshop;
beforeAll(() => {
  workshop = openWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

const FULL = 'JOURNAL_FULL';
const POISONED = 'JOURNAL_POISONED';

describeWith('strace', 'a kernel that answers', () => {
  it.each([
    // The first line of a new session.
    [['write:error=ENOSPC:when=1'], [FULL]],
    [['write:error=EIO:when=1'], [POISONED]],
    [['fsync:error=EIO:when=1'], [POISONED]],
    // A later one: all of them are taken back or held back, and tried again where that is safe.
    [['write:error=ENOSPC:when=3'], [FULL]],
    [['write:error=EDQUOT:when=3'], [FULL]],
    [['write:error=ENOSPC:when=3..4'], [FULL, FULL]],
    [['write:error=EIO:when=3'], [POISONED, POISONED, POISONED, POISONED, POISONED]],
    [['write:error=ESTALE:when=4'], [POISONED, POISONED, POISONED, POISONED]],
    [['fdatasync:error=EIO:when=1'], [POISONED, POISONED, POISONED, POISONED, POISONED]],
    [['fdatasync:error=ENOSPC:when=2'], [POISONED, POISONED, POISONED]],
    // What does not fit cannot be taken back.
    [
      ['write:error=ENOSPC:when=3', 'ftruncate:error=EIO:when=1'],
      [POISONED, POISONED, POISONED, POISONED, POISONED],
    ],
    // It is taken back, but whether that is on the device is not known.
    [
      ['write:error=ENOSPC:when=3', 'fsync:error=EIO:when=2'],
      [POISONED, POISONED, POISONED, POISONED, POISONED],
    ],
  ])('%j is reported unchanged, and no acknowledged event is lost', async (injections, failures) => {
    const outcome = await withInjections(workshop, injections);
    expect(outcome.failures).toEqual(failures);
    expect(outcome.trace).toMatch(/INJECTED/);
    if (failures[0] === FULL) expect(outcome.checked).toBe(4 - (failures.length - 1));
  });

  it('EIO to a sync is followed by no second sync of the same file', async () => {
    const { trace } = await withInjections(workshop, ['fdatasync:error=EIO:when=1']);
    const afterFailure = trace.slice(trace.indexOf('EIO'));
    expect(afterFailure).not.toMatch(/f(data)?sync\(\d+/);
  });
});

describeWith('prlimit', 'files that may grow to so many bytes only', () => {
  it('lose nothing, at any size', async () => {
    const { failures, checked } = await withFileLimit(workshop, 1_000_000);
    expect({ failures, checked }).toEqual({ failures: [], checked: 4 });
    const size = 4700;
    const random = seededRandom(RUNS);
    const some = Array.from({ length: 6 }, () => Math.floor(random() * size));
    const limits = RUNS > 1 ? Array.from({ length: size }, (_, index) => index) : some;
    let refusals = 0;
    await inParallel(2, function* () {
      for (const limit of limits) {
        yield async () => {
          const outcome = await withFileLimit(workshop, limit);
          for (const code of outcome.failures) expect([FULL, 'NOT_OPEN']).toContain(code);
          refusals += outcome.failures.length;
        };
      }
    });
    expect(refusals).toBeGreaterThan(limits.length / 2);
  });
});

describeWith('mounts', 'a file system of 1 MiB', () => {
  const TMPFS = ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'ollm-lab'];

  it('that fills up refuses with an explanation, keeps its events, and continues when there is room', async () => {
    await whileMounted(workshop, TMPFS, async (directory) => {
      const child = workshop.start([directory, 'obey']);
      await child.command('open');
      writeFileSync(join(directory, 'filler'), Buffer.alloc(512 * 1024));
      let answer = await child.command('append disk 100000');
      for (let count = 0; count < 20 && !('failed' in answer); count += 1)
        answer = await child.command('append disk 100000');
      expect(answer).toMatchObject({ code: FULL, hint: expect.stringContaining('Free some space and try again') });
      // It was taken back whole: the rest of the room is there for something smaller.
      expect(await child.command('append disk 100')).toMatchObject({ did: 'append' });
      await child.command('append process 100000');
      rmSync(join(directory, 'filler'));
      expect(await child.command('again')).toMatchObject({ did: 'append' });
      await child.command('close');
      child.process.stdin?.end();
      await child.ended;
      const ledger = new Ledger();
      ledger.take(child.said);
      expect(await checkLedger(ledger, directory)).toBeGreaterThan(4);
    });
  });

  it('that is full creates no session, and recovers none in part', async () => {
    await whileMounted(workshop, TMPFS, async (directory) => {
      const first = workshop.start([directory, 'obey']);
      for (const line of ['open', 'append disk 20000', 'append disk 20000']) await first.command(line);
      await first.kill();
      const journal = join(directory, 'notes.jsonl');
      truncateSync(journal, 30_000);
      const torn = readFileSync(journal);
      fill(directory);

      const second = workshop.start([directory, 'obey']);
      expect(await second.command('open')).toMatchObject({ failed: 'open', code: FULL });
      expect(readFileSync(journal).equals(torn)).toBe(true);
      rmSync(join(directory, 'filler'));
      expect(await second.command('open')).toMatchObject({ did: 'open' });
      expect(await second.command('append disk 10')).toMatchObject({ did: 'append' });
      await second.kill();

      rmSync(journal);
      fill(directory);
      const third = workshop.start([directory, 'obey']);
      expect(await third.command('open')).toMatchObject({ failed: 'open', code: FULL });
      expect(existsSync(journal)).toBe(false);
      await third.kill();
    });
  });

  /** To the last page. */
  function fill(directory: string): void {
    const { bavail, bsize } = statfsSync(directory);
    writeFileSync(join(directory, 'filler'), Buffer.alloc(bavail * bsize));
  }
});
