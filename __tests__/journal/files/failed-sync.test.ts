import { openFileStore } from '../../../lib/file-store/file-store.ts';
import type { JournalStore, StoredEvent } from '../../../lib/journal/types.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../../lib/platform/index.ts';
import { createSession } from '../../../lib/session/create.ts';
import { type SimulatedDisk, simulatedDisk } from '../../lab/simulated-disk.ts';

const CREATED = { model: 'm', provider: 'p', ollm: '0' };
/** Leaves after a crash only the bytes that the device is known to hold. */
const leaveLeast = () => 0;

function storeOf(disk: SimulatedDisk): JournalStore {
  const { fileSystem } = disk.start();
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  return openFileStore({ fileSystem, ...ports }, { directory: '/home/sessions' });
}

async function typesIn(store: JournalStore): Promise<string[]> {
  const events: StoredEvent[] = [];
  for (const outcome of (await Array.fromAsync(store.openReader('notes').outcomes())).flat())
    if (outcome.kind === 'event') events.push(outcome.event);
  return events.map(({ type }) => type);
}

const note = { type: 'test.noted', id: 'once', data: {} };

describe('a journal whose sync failed', () => {
  async function withFailedSync(disk: SimulatedDisk): Promise<void> {
    const writer = await storeOf(disk).create('notes', CREATED);
    disk.fault({ operation: 'dataSync', at: 1, error: 'EIO' });
    await expect(writer.append(note, { durability: 'disk' })).rejects.toMatchObject({ code: 'JOURNAL_POISONED' });
    disk.heal();
    await writer.close();
  }

  it('is synced again when it is opened, so that a retry that finds the event can promise it', async () => {
    const disk = simulatedDisk();
    await withFailedSync(disk);
    const writer = await storeOf(disk).openWriter('notes');
    const [receipt] = await writer.append(note, { durability: 'disk' });
    expect(receipt).toMatchObject({ seq: 1, duplicate: true });
    disk.crash(leaveLeast);
    expect(await typesIn(storeOf(disk))).toEqual(['session.created', 'test.noted', 'writer.opened']);
  });

  it('is remembered while the session is in the trash', async () => {
    const disk = simulatedDisk();
    await withFailedSync(disk);
    const store = storeOf(disk);
    await store.trash('notes');
    await store.restore('notes');
    await (await store.openWriter('notes')).append(note, { durability: 'disk' });
    disk.crash(leaveLeast);
    expect(await typesIn(storeOf(disk))).toContain('test.noted');
  });

  it('is recognized even if the disk had no room for a note of the failure', async () => {
    const disk = simulatedDisk();
    const writer = await storeOf(disk).create('notes', CREATED);
    disk.fault({ operation: 'write', at: 2, error: 'ENOSPC', forGood: true });
    disk.fault({ operation: 'dataSync', at: 1, error: 'EIO' });
    await expect(writer.append(note, { durability: 'disk' })).rejects.toMatchObject({ code: 'JOURNAL_POISONED' });
    disk.heal();
    await writer.close();
    await (await storeOf(disk).openWriter('notes')).append(note, { durability: 'disk' });
    disk.crash(leaveLeast);
    expect(await typesIn(storeOf(disk))).toContain('test.noted');
  });

  it('is synced again only once', async () => {
    const disk = simulatedDisk();
    await withFailedSync(disk);
    const store = storeOf(disk);
    await (await store.openWriter('notes')).close();
    expect(disk.files().get('/home/sessions/notes.lock')).toHaveLength(0);
  });
});

describe('a journal whose creator died before its name was on the device', () => {
  it('has a lasting name once it was opened', async () => {
    const disk = simulatedDisk();
    await (await storeOf(disk).create('other', CREATED)).close();
    disk.fault({ operation: 'syncDirectory', at: 2, error: 'kill' });
    await expect(storeOf(disk).create('notes', CREATED)).rejects.toThrow('died');
    const writer = await storeOf(disk).openWriter('notes');
    await writer.append(note, { durability: 'disk' });
    disk.crash(leaveLeast);
    expect(await typesIn(storeOf(disk))).toContain('test.noted');
  });
});

describe('a directory whose name was never synced', () => {
  it('has a lasting name once a session was created in it', async () => {
    const disk = simulatedDisk();
    disk.fault({ operation: 'syncDirectory', at: 1, error: 'kill' });
    await expect(storeOf(disk).create('notes', CREATED)).rejects.toThrow('died');
    disk.heal();
    await storeOf(disk).create('notes', CREATED);
    disk.crash(leaveLeast);
    expect(await storeOf(disk).has('notes')).toBe(true);
  });
});

describe('bytes that recovery removes', () => {
  it('are still in quarantine after a power cut, in a directory created for them', async () => {
    // Who dies in a write has written a part of it.
    const disk = simulatedDisk({ random: () => 0.4 });
    const writer = await storeOf(disk).create('notes', CREATED);
    disk.fault({ operation: 'write', at: 1, error: 'kill', after: true });
    await expect(writer.append(note)).rejects.toThrow();
    disk.heal();
    // The file has been cut, and that is on the device; nothing else is yet.
    disk.fault({ operation: 'dataSync', at: 1, error: 'crash' });
    await expect(storeOf(disk).openWriter('notes')).rejects.toThrow();
    disk.crash(leaveLeast);
    expect(await typesIn(storeOf(disk))).toEqual(['session.created']);
    const quarantined = [...disk.files().keys()].filter((path) => path.includes('/quarantine/notes.'));
    expect(quarantined).toHaveLength(1);
  });
});

describe('a disk that fails to read', () => {
  it('fails an append that looks for its id with an OllmError', async () => {
    const disk = simulatedDisk();
    const store = storeOf(disk);
    const writer = await store.create('notes', CREATED);
    disk.fault({ operation: 'read', at: 1, error: 'EIO' });
    await expect(writer.append(note)).rejects.toMatchObject({ code: 'JOURNAL_UNREADABLE' });
  });

  it.each(['stat', 'read'] as const)('fails a follower with an OllmError (%s)', async (operation) => {
    const disk = simulatedDisk();
    const store = storeOf(disk);
    const writer = await store.create('notes', CREATED);
    const { signal } = new AbortController();
    const follower = store.openReader('notes').follow({ signal })[Symbol.asyncIterator]();
    await follower.next();
    await writer.append(note);
    disk.fault({ operation, at: 1, error: 'EIO' });
    await expect(follower.next()).rejects.toMatchObject({ code: 'JOURNAL_UNREADABLE' });
  });
});

describe('a lock whose file cannot be examined at its release', () => {
  it('is released all the same', async () => {
    const disk = simulatedDisk();
    const store = storeOf(disk);
    await (await store.create('notes', CREATED)).close();
    disk.fault({ operation: 'stat', at: 4, error: 'EIO', forGood: true });
    await expect(store.archive('notes')).rejects.toMatchObject({ code: 'IO_FAILED' });
    disk.heal();
    expect(await store.holder('notes')).toBeUndefined();
  });
});

describe('a session whose new journal cannot be read', () => {
  it('does not stay locked', async () => {
    const disk = simulatedDisk();
    const store = storeOf(disk);
    disk.fault({ operation: 'read', at: 1, error: 'EIO' });
    await expect(createSession(store, { id: 'notes', created: CREATED }, { log: silentLog })).rejects.toThrow();
    expect(await store.holder('notes')).toBeUndefined();
  });
});
