import { openFileStore } from '../../lib/file-store/file-store.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { readSnapshotAnchor } from '../../lib/session/saved/snapshot.ts';
import { readState } from '../../lib/session/saved/state-file.ts';
import { savedReplay } from '../../lib/session/states.ts';
import { type SimulatedDisk, simulatedDisk } from '../lab/simulated-disk.ts';
import { said } from './world.ts';

function storeOf(disk: SimulatedDisk) {
  const { fileSystem } = disk.start();
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  return openFileStore({ fileSystem, ...ports }, { directory: '/home/sessions' });
}

async function lastSeq(disk: SimulatedDisk): Promise<number> {
  let last = -1;
  if (!(await storeOf(disk).has('notes'))) return last;
  for (const outcome of (await Array.fromAsync(storeOf(disk).openReader('notes').outcomes())).flat()) {
    if (outcome.kind === 'event') last = outcome.event.seq;
  }
  return last;
}

describe('saved states of a session', () => {
  // Wherever the machine dies in it, also with an event that comes meanwhile.
  it.each(['always', 'barrier', 'process'] as const)(
    'under %s never contain an event that a power cut removes',
    async (policy) => {
      let saved = 0;
      for (let at = 1; at < 40; at += 1) {
        const disk = simulatedDisk();
        const store = storeOf(disk);
        const created = { model: 'm', provider: 'p', ollm: '0' };
        const session = await createSession(store, { id: 'notes', created }, { log: silentLog, policy });
        await session.append(said('user', 'one'));
        disk.fault({ operation: 'any', at, error: 'crash' });
        const saving = session.save({ snapshot: 'now' });
        await Promise.allSettled([session.append(said('user', 'two')), saving, session.append(said('user', 'three'))]);
        disk.heal();
        // Leaves after a crash only the bytes that were synced.
        disk.crash(() => 0);
        const last = await lastSeq(disk);
        const left = storeOf(disk);
        const known = [(await readSnapshotAnchor(left, 'notes'))?.seq, (await readState(left, 'notes'))?.anchor.seq];
        if (known.some((seq) => seq !== undefined)) saved += 1;
        for (const seq of known) expect({ at, seq: seq ?? -1 }).toEqual({ at, seq: Math.min(seq ?? -1, last) });
      }
      expect(saved).toBeGreaterThan(0);
    },
  );

  it('are written only once their events are on the device', async () => {
    const whole = storeOf(simulatedDisk());
    const written: unknown[] = [];
    const store: typeof whole = {
      ...whole,
      writeDocument(id, kind, text) {
        written.push([kind, session.writer.synced.seq]);
        return whole.writeDocument(id, kind, text);
      },
    };
    const created = { model: 'm', provider: 'p', ollm: '0' };
    const session = await createSession(store, { id: 'notes', created }, { log: silentLog });
    await session.append(said('user', 'one'), { durability: 'process' });
    const { seq } = session.writer.head;
    expect(session.writer.synced.seq).toBeLessThan(seq);
    await session.save({ snapshot: 'now' });
    expect(written).toEqual([
      ['snapshot', seq],
      ['state', seq],
    ]);
    await session.close('exit');
  });

  it('are not used if their last line was not on the device, because lines before it may be lost', async () => {
    const store = storeOf(simulatedDisk());
    const created = { model: 'm', provider: 'p', ollm: '0' };
    const session = await createSession(store, { id: 'notes', created }, { log: silentLog });
    await session.append(said('user', 'one'));
    await session.close('exit');
    const saved = (await readState(store, 'notes'))!;
    expect(savedReplay(saved)).toBeDefined();
    expect(savedReplay({ ...saved, synced: { ...saved.synced, offset: saved.anchor.offset - 1 } })).toBeUndefined();
  });

  it('are written again after a snapshot could not be written', async () => {
    const whole = storeOf(simulatedDisk());
    let fails = true;
    const store: typeof whole = {
      ...whole,
      async writeDocument(id, kind, text) {
        if (kind === 'snapshot' && fails) throw new Error('no room');
        return whole.writeDocument(id, kind, text);
      },
    };
    const created = { model: 'm', provider: 'p', ollm: '0' };
    const session = await createSession(store, { id: 'notes', created }, { log: silentLog });
    await session.append(said('user', 'one'));
    await expect(session.save({ snapshot: 'now' })).rejects.toThrow('no room');
    expect(await readState(whole, 'notes')).toMatchObject({ anchor: { seq: session.writer.head.seq } });
    fails = false;
    await session.append(said('user', 'two'));
    await session.save({ snapshot: 'now' });
    expect((await readSnapshotAnchor(whole, 'notes'))?.offset).toBe(session.writer.head.offset);
    await session.close('exit');
  });
});
