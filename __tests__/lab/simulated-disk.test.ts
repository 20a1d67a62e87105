import type { FileSystem } from '../../lib/platform/files/file-system.ts';
import { seededRandom } from './random.ts';
import { type Fault, SECTOR_BYTES, type SimulatedDisk, simulatedDisk } from './simulated-disk.ts';

const PATH = '/home/file';
const bytes = (text: string) => new TextEncoder().encode(text);
const filled = (length: number, value: number) => new Uint8Array(length).fill(value);

/** Every content that a path has after crashes of this disk; undefined: it is not there. */
function afterCrashes(disk: SimulatedDisk, path = PATH, times = 400): (Uint8Array | undefined)[] {
  return Array.from({ length: times }, (_, seed) => disk.crashed(seededRandom(seed)).files().get(path));
}

function textsAfterCrashes(disk: SimulatedDisk, path = PATH): Set<string | undefined> {
  return new Set(afterCrashes(disk, path).map((found) => found && new TextDecoder().decode(found)));
}

async function diskWith(content: Uint8Array, options: Parameters<typeof simulatedDisk>[0] = {}) {
  const disk = simulatedDisk(options);
  const { fileSystem } = disk.start();
  const file = fileSystem.open(PATH, 'create');
  file.write(content);
  await file.sync();
  await fileSystem.syncDirectory('/home');
  return { disk, fileSystem, file };
}

async function codeOf(action: () => unknown): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).name;
  }
}

describe('a simulated crash', () => {
  it('leaves exactly the synced bytes', async () => {
    const { disk } = await diskWith(bytes('kept'));
    expect(textsAfterCrashes(disk)).toEqual(new Set(['kept']));
  });

  it('may leave nothing, all, or any beginning of the unsynced bytes', async () => {
    const { disk, file } = await diskWith(bytes('kept'));
    file.write(bytes('abc'));
    const texts = textsAfterCrashes(disk);
    for (const text of ['kept', 'kepta', 'keptab', 'keptabc', 'kept\0\0\0']) expect(texts).toContain(text);
  });

  it('may leave any of the sectors of a write', async () => {
    const { disk, file } = await diskWith(new Uint8Array(0));
    file.write(filled(4 * SECTOR_BYTES, 1));
    const subsets = new Set(
      afterCrashes(disk, PATH, 2000).map((found) =>
        found?.length === 4 * SECTOR_BYTES ? [0, 1, 2, 3].map((sector) => found[sector * SECTOR_BYTES]).join('') : '',
      ),
    );
    for (let subset = 0; subset < 16; subset += 1) expect(subsets).toContain(subset.toString(2).padStart(4, '0'));
  });

  it('may leave a later write and not an earlier one', async () => {
    const { disk, file } = await diskWith(new Uint8Array(0));
    file.write(bytes('a'));
    file.write(bytes('b'));
    expect(textsAfterCrashes(disk)).toContain('\0b');
  });

  it('may undo a truncation, and put new bytes over the old ones', async () => {
    const { disk, file } = await diskWith(bytes('0123456789'));
    file.truncate(2);
    file.write(bytes('ab'));
    const texts = textsAfterCrashes(disk);
    for (const text of ['0123456789', '01', '01ab', '01ab456789']) expect(texts).toContain(text);
  });

  it('may leave bytes of a removed file, if a length arrived without its bytes', async () => {
    const { disk, fileSystem, file } = await diskWith(new Uint8Array(0));
    const other = fileSystem.open('/home/other', 'create');
    other.write(filled(3 * SECTOR_BYTES, 7));
    await other.sync();
    fileSystem.unlink('/home/other');
    file.write(filled(3 * SECTOR_BYTES, 1));
    expect(afterCrashes(disk).some((found) => found?.includes(7))).toBe(true);
  });

  it('keeps no order between files', async () => {
    const { disk, fileSystem, file } = await diskWith(new Uint8Array(0));
    const other = fileSystem.open('/home/other', 'create');
    await fileSystem.syncDirectory('/home');
    file.write(bytes('a'));
    other.write(bytes('b'));
    const states = Array.from({ length: 400 }, (_, seed) => disk.crashed(seededRandom(seed)).files());
    const pairs = new Set(states.map((files) => [PATH, '/home/other'].map((path) => files.get(path)?.length).join()));
    for (const pair of ['0,0', '0,1', '1,0', '1,1']) expect(pairs).toContain(pair);
  });

  it('removes a new file whose name was not synced, even with synced content', async () => {
    const disk = simulatedDisk();
    const { fileSystem } = disk.start();
    const file = fileSystem.open(PATH, 'create');
    file.write(bytes('a'));
    await file.sync();
    expect(textsAfterCrashes(disk)).toEqual(new Set([undefined, 'a']));
  });

  it('removes a directory whose name was not synced, with everything that was synced in it', async () => {
    const disk = simulatedDisk();
    const { fileSystem } = disk.start();
    fileSystem.makeDirectory('/home/new');
    const file = fileSystem.open('/home/new/file', 'create');
    await file.sync();
    await fileSystem.syncDirectory('/home/new');
    expect(textsAfterCrashes(disk, '/home/new/file')).toContain(undefined);
    await fileSystem.syncDirectory('/home');
    expect(textsAfterCrashes(disk, '/home/new/file')).toEqual(new Set(['']));
  });

  it('leaves a renamed file under one of its names, and the replaced file under none or under its own', async () => {
    const { disk, fileSystem } = await diskWith(bytes('old'));
    const other = fileSystem.open('/home/other', 'create');
    other.write(bytes('new'));
    await other.sync();
    await fileSystem.syncDirectory('/home');
    fileSystem.rename('/home/other', PATH);
    const states = Array.from({ length: 200 }, (_, seed) => disk.crashed(seededRandom(seed)).files());
    const found = states.map((files) =>
      [...files].map(([path, content]) => `${path}=${new TextDecoder().decode(content)}`),
    );
    expect(new Set(found.map((each) => each.sort().join()))).toEqual(
      new Set(['/home/file=old,/home/other=new', '/home/file=new']),
    );
  });

  it('is equal for equal seeds', async () => {
    const { disk, file } = await diskWith(bytes('kept'));
    file.write(filled(3000, 5));
    for (const seed of [1, 2, 3]) {
      const [one, other] = [1, 2].map(() => disk.crashed(seededRandom(seed)).files().get(PATH));
      expect(one).toEqual(other);
    }
  });
});

describe('a simulated sync', () => {
  it('that fails leaves clean pages: they can be read, and no later sync saves them', async () => {
    const { disk, file, fileSystem } = await diskWith(bytes('kept'), { random: () => 0.9 });
    file.write(bytes('lost'));
    disk.fault({ operation: 'dataSync', at: 1, error: 'EIO' });
    expect(await codeOf(() => file.dataSync())).toBe('EIO');
    disk.heal();
    file.write(bytes('more'));
    await file.sync();
    await fileSystem.open(PATH, 'append').sync();
    expect(new TextDecoder().decode(disk.files().get(PATH))).toBe('keptlostmore');
    expect(textsAfterCrashes(disk)).toEqual(new Set(['kept\0\0\0\0more']));
  });

  it('saves earlier writes, and none that came while it ran', async () => {
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isGated = false;
    const { disk, file } = await diskWith(bytes('kept'), { wait: () => (isGated ? gate : Promise.resolve()) });
    isGated = true;
    file.write(bytes('a'));
    const syncing = file.dataSync();
    file.write(bytes('b'));
    goOn();
    await syncing;
    const texts = textsAfterCrashes(disk);
    expect(texts).toContain('kepta');
    expect(texts).not.toContain('kept');
  });

  it('without an answer has saved the writes all the same', async () => {
    const { disk, file } = await diskWith(bytes('kept'));
    file.write(bytes('a'));
    disk.fault({ operation: 'dataSync', at: 1, error: 'crash', after: true });
    expect(await codeOf(() => file.dataSync())).toBe('Died');
    expect(textsAfterCrashes(disk)).toEqual(new Set(['kepta']));
  });
});

describe('a simulated fault', () => {
  const actions: Record<string, (fileSystem: FileSystem) => unknown> = {
    open: (fileSystem) => fileSystem.open(PATH, 'read'),
    write: (fileSystem) => fileSystem.open(PATH, 'append').write(bytes('x')),
    read: (fileSystem) => fileSystem.open(PATH, 'read').read(new Uint8Array(1), 0),
    stat: (fileSystem) => fileSystem.stat(PATH),
    truncate: (fileSystem) => fileSystem.open(PATH, 'append').truncate(0),
    sync: (fileSystem) => fileSystem.open(PATH, 'append').sync(),
    dataSync: (fileSystem) => fileSystem.open(PATH, 'append').dataSync(),
    rename: (fileSystem) => fileSystem.rename(PATH, '/home/there'),
    link: (fileSystem) => fileSystem.link(PATH, '/home/there'),
    unlink: (fileSystem) => fileSystem.unlink(PATH),
    makeDirectory: (fileSystem) => fileSystem.makeDirectory('/home/new'),
    readDirectory: (fileSystem) => fileSystem.readDirectory('/home'),
    changeMode: (fileSystem) => fileSystem.changeMode(PATH, 0o400),
    syncDirectory: (fileSystem) => fileSystem.syncDirectory('/home'),
    lock: (fileSystem) => fileSystem.open(PATH, 'read').tryLock(),
  };

  it.each(Object.entries(actions))('strikes %s at its nth call, once or permanently', async (operation, action) => {
    for (const forGood of [false, true]) {
      const { disk, fileSystem } = await diskWith(bytes('kept'));
      disk.fault({ operation: operation as Fault['operation'], at: 2, error: 'EIO', forGood });
      const code = () => codeOf(() => action(fileSystem));
      const found = [await code(), await code()];
      expect(found).toEqual([undefined, 'EIO'].map((each) => (found[0] === 'EIO' ? expect.anything() : each)));
      expect(disk.struck).toBe(1);
      if (!forGood) continue;
      expect(await code()).toBe('EIO');
      disk.heal();
      expect(await code()).not.toBe('EIO');
    }
  });

  it('after a call leaves its effect in place', async () => {
    const { disk, fileSystem } = await diskWith(bytes('kept'));
    disk.fault({ operation: 'rename', at: 1, error: 'EIO', after: true });
    expect(await codeOf(() => fileSystem.rename(PATH, '/home/there'))).toBe('EIO');
    expect([...disk.files().keys()]).toEqual(['/home/there']);
  });

  it('makes reads and writes short, never empty', async () => {
    const { disk, file } = await diskWith(bytes('kept'), { random: () => 0.01 });
    disk.fault({ operation: 'any', at: 1, error: 'short', forGood: true });
    expect(file.write(bytes('abc'))).toBe(1);
    expect(file.read(new Uint8Array(4), 0)).toBe(1);
  });

  it('fills the disk at the byte', async () => {
    const { file } = await diskWith(bytes('kept'), { capacityBytes: 6 });
    expect(file.write(bytes('abc'))).toBe(2);
    expect(await codeOf(() => file.write(bytes('c')))).toBe('ENOSPC');
  });
});

describe('a simulated process', () => {
  it('dies without the others: its locks and handles are gone, its writes stay, and the other process continues', async () => {
    const { disk } = await diskWith(bytes('kept'));
    const [one, other] = [disk.start(), disk.start()];
    const [mine, yours] = [one, other].map(({ fileSystem }) => fileSystem.open(PATH, 'append'));
    mine?.write(bytes('!'));
    expect(mine?.tryLock()).toBe(true);
    expect(yours?.tryLock()).toBe(false);
    one.kill();
    expect(await codeOf(() => mine?.write(bytes('?')))).toBe('Died');
    expect(await codeOf(() => one.fileSystem.stat(PATH))).toBe('Died');
    expect(yours?.tryLock()).toBe(true);
    expect(yours?.stat().size).toBe(5);
  });
});
