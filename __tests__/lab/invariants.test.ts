import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { checkLive, DIRECTORY } from './invariants.ts';
import { newModel, newSession } from './model.ts';
import { type SimulatedDisk, simulatedDisk } from './simulated-disk.ts';

const JOURNAL = `${DIRECTORY}/alpha.jsonl`;
const noted = (marker: string) => ({ type: 'lab.noted', data: { marker } });

function storeOf(disk: SimulatedDisk): JournalStore {
  const { fileSystem } = disk.start();
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  return openFileStore({ fileSystem, ...ports }, { directory: DIRECTORY });
}

/** A session of which these were acknowledged, in a world that was hurt. */
async function sessionWith(disk: SimulatedDisk, ...markers: readonly string[]) {
  const session = { ...newSession('alpha'), derivedMayDiffer: true };
  const writer = await storeOf(disk).create('alpha', { model: 'm', provider: 'p', ollm: '0' });
  for (const marker of markers) {
    const [receipt] = await writer.append(noted(marker));
    if (receipt) session.acknowledged.push({ marker, seq: receipt.seq, xxh64: receipt.xxh64, level: 'disk' });
  }
  await writer.close();
  const lines = Buffer.from(disk.files().get(JOURNAL) ?? [])
    .toString()
    .split('\n');
  return { session, lines };
}

function addBytes(disk: SimulatedDisk, text: string): void {
  disk.start().fileSystem.open(JOURNAL, 'append').write(Buffer.from(text));
}

async function check(disk: SimulatedDisk, session: ReturnType<typeof newSession>) {
  return await checkLive({ ...newModel(), wasHurt: true }, session, storeOf(disk), disk.files());
}

describe('a broken promise of the lab', () => {
  it('is not a line that an old block restored after reported bytes', async () => {
    const disk = simulatedDisk();
    const { session, lines } = await sessionWith(disk, 'm1', 'm2');
    addBytes(disk, `no line\n${lines[1]}\n${lines[2]}\n`);
    expect(await check(disk, session)).toEqual({ checked: 2, findings: 2 });
  });

  it('is an event that was stored twice, also after reported bytes', async () => {
    const disk = simulatedDisk();
    const { session } = await sessionWith(disk, 'm1');
    addBytes(disk, 'no line\n');
    await (await storeOf(disk).openWriter('alpha')).append(noted('m1'));
    await expect(check(disk, session)).rejects.toThrow('m1 is there twice');
  });

  it('is an event that was refused, and one that was never appended', async () => {
    const disk = simulatedDisk();
    const { session } = await sessionWith(disk, 'm1');
    const refused = { ...session, acknowledged: [], refused: new Set(['m1']) };
    await expect(check(disk, refused)).rejects.toThrow('m1 was refused, and is there');
    await expect(check(disk, { ...session, acknowledged: [] })).rejects.toThrow('m1 was never appended here');
  });
});
