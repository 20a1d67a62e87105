// The power is cut on a real ext4: a file system in a file, mounted, written to, and shut down in the middle by an
// ioctl, so that everything that was not on the device is lost. Mounted again, it must have everything that was
// acknowledged at `disk`.
import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../random.ts';
import type { Workshop } from './child.ts';
import { whileMounted } from './fault-cases.ts';
import { hearsAppends, withContext } from './kill-cases.ts';
import { checkLedger, Ledger } from './ledger.ts';

/** What decides which bytes an ext4 keeps that were not synced. */
export const MOUNT_MODES = ['defaults', 'noauto_da_alloc', 'data=writeback', 'data=journal'] as const;
export type MountMode = (typeof MOUNT_MODES)[number];

/** Whether the journal of the file system itself is written out before everything stops. */
export const SHUTDOWNS = { flushed: 1, 'not flushed': 2 } as const;
export type Shutdown = keyof typeof SHUTDOWNS;

const IMAGE_BYTES = 64 * 1024 * 1024;
const EXT4_IOC_SHUTDOWN = 0x8004587d;

/** How many acknowledged events were there after the power came back, twice. */
export async function cutPower(workshop: Workshop, mode: MountMode, shutdown: Shutdown, seed: number): Promise<number> {
  const image = join(workshop.directory, `image-${mode.replaceAll(/\W/g, '-')}-${SHUTDOWNS[shutdown]}-${seed}`);
  makeFileSystem(image);
  const mount = ['-t', 'ext4', '-o', `loop,${mode}`, image];
  const random = seededRandom(seed);
  const ledger = new Ledger();
  let checked = 0;
  // A second cut hits a journal that was recovered after the first.
  for (let round = 1; round <= 2; round += 1) {
    await whileMounted(workshop, mount, async (mountPoint) => {
      const directory = join(mountPoint, 'sessions');
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (round === 1) syncDirectory(mountPoint);
      const child = workshop.start([directory, 'write', String(seed * 10 + round)]);
      await hearsAppends(child);
      await sleep(20 + random() * 80);
      // A real machine reports nothing once its power is gone. This one continues, and a running sync may return
      // success although the file system died in the meantime: later reports count for nothing.
      const saidInTime = [...child.said];
      shutDown(mountPoint, SHUTDOWNS[shutdown]);
      await child.kill();
      ledger.take(saidInTime);
    });
    await released(image);
    checked += await whileMounted(workshop, mount, (mountPoint) =>
      withContext(`ext4 ${mode}, ${shutdown}, seed ${seed}, round ${round}`, async () => {
        const found = await checkLedger(ledger, join(mountPoint, 'sessions'), 'what was not synced');
        ledger.forgetWhatIsLost(join(mountPoint, 'sessions'));
        return found;
      }),
    );
  }
  return checked;
}

/**
 * Waits until the kernel has released the file system. A sandbox that is started elsewhere in the same moment has a
 * copy of every mount for as long as it runs; mounted in the meantime, it would be the same one, dead as it is.
 */
async function released(image: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (spawnSync('losetup', ['-j', image], { encoding: 'utf8' }).stdout.trim() === '') return;
    await sleep(50);
  }
  throw new Error(`${image} is still mounted somewhere`);
}

function makeFileSystem(image: string): void {
  const descriptor = openSync(image, 'w');
  ftruncateSync(descriptor, IMAGE_BYTES);
  closeSync(descriptor);
  run('mkfs.ext4', ['-q', '-F', image]);
}

function shutDown(mountPoint: string, flag: number): void {
  const script = 'open(my $d, "<", $ARGV[0]) or die $!; my $f = pack("L", $ARGV[2]); ioctl($d, $ARGV[1], $f) or die $!';
  run('perl', ['-e', script, mountPoint, String(EXT4_IOC_SHUTDOWN), String(flag)]);
}

function syncDirectory(path: string): void {
  run('sync', ['-f', path]);
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
