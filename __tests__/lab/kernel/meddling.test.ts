// A different process does something to a journal while a session has it open, or to the session itself.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Child, openWorkshop, type Workshop } from './child.ts';
import { whileMounted } from './fault-cases.ts';
import { checkLedger, Ledger, openStore } from './ledger.ts';
import { describeWith, NOBODY } from './needs.ts';

let workshop: Workshop;
beforeAll(() => {
  workshop = openWorkshop();
});
afterAll(() => workshop[Symbol.dispose]());

/** A session with a few events in it, open in another process. */
async function openElsewhere(options: Parameters<Workshop['start']>[1] & { directory?: string } = {}) {
  const { directory = workshop.fresh() } = options;
  const child = workshop.start([directory, 'obey'], options);
  for (const line of ['open', 'append disk 100', 'append process 100']) await child.command(line);
  return { child, directory, journal: join(directory, 'notes.jsonl') };
}

async function end(child: Child): Promise<void> {
  await child.command('close');
  child.process.stdin?.end();
  await child.ended;
}

describe('a session that is stopped by SIGSTOP', () => {
  it('keeps its lock: a second process is told the holder, may read, and the first continues unharmed', async () => {
    const { child, directory } = await openElsewhere();
    child.process.kill('SIGSTOP');
    const store = openStore(directory);
    await expect(store.openWriter('notes')).rejects.toMatchObject({
      code: 'JOURNAL_LOCKED',
      message: expect.stringContaining(`process ${child.process.pid} (ollm repl, since `),
      hint: expect.stringContaining('ollm tail notes'),
    });
    for (const refused of [store.trash('notes'), store.archive('notes'), store.repair('notes')]) {
      await expect(refused).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    }
    const reader = store.openReader('notes');
    expect(await reader.verify()).toMatchObject({ events: 3, damaged: 0 });
    reader.close();

    child.process.kill('SIGCONT');
    expect(await child.command('append disk 10')).toMatchObject({ did: 'append' });
    await end(child);
    const ledger = new Ledger();
    ledger.take(child.said);
    expect(await checkLedger(ledger, directory)).toBe(3);
  });
});

describe('a journal that a foreign program changes while it is open', () => {
  it.each<[string, (journal: string) => void, RegExp]>([
    ['is replaced', replaced, /another file is in its place/],
    ['is cut off', (journal) => truncateSync(journal, 300), /has 300 bytes instead of \d+/],
    ['is emptied', (journal) => truncateSync(journal, 0), /has 0 bytes instead of \d+/],
    ['is appended to', (journal) => appendFileSync(journal, 'hello\n'), /has \d+ bytes instead of \d+/],
    ['is removed', (journal) => unlinkSync(journal), /was removed or renamed/],
    ['is renamed', (journal) => renameSync(journal, `${journal}.old`), /was removed or renamed/],
    ['gets a second name', (journal) => linkSync(journal, `${journal}.also`), /was given a second name/],
  ])('and that %s is not written any more, and the error says why immediately', async (_what, meddle, why) => {
    const { child, journal } = await openElsewhere();
    meddle(journal);
    const after = read(journal);
    for (const line of ['append process 10', 'append disk 10', 'again', 'close']) {
      expect(await child.command(line)).toMatchObject({
        code: 'JOURNAL_POISONED',
        message: expect.stringMatching(why),
      });
    }
    expect(read(journal)).toBe(after);
    await child.kill();
  });

  it('and that is made read-only can still be written, because it was opened before', async () => {
    const { child, journal, directory } = await openElsewhere();
    chmodSync(journal, 0o400);
    expect(await child.command('append disk 10')).toMatchObject({ did: 'append' });
    chmodSync(journal, 0o600);
    await end(child);
    const ledger = new Ledger();
    ledger.take(child.said);
    expect(await checkLedger(ledger, directory)).toBe(3);
  });

  it('and whose lock file is removed is still written by only one process', async () => {
    const { child, directory } = await openElsewhere();
    unlinkSync(join(directory, 'notes.lock'));
    // No process can know any more that the first one is there; the fence around the file does.
    const second = workshop.start([directory, 'obey']);
    expect(await second.command('open')).toMatchObject({ did: 'open' });
    expect(await child.command('append disk 10')).toMatchObject({ code: 'JOURNAL_POISONED' });
    expect(await second.command('append disk 10')).toMatchObject({ did: 'append' });
    await end(second);
    await child.kill();
    const ledger = new Ledger();
    ledger.take([...child.said, ...second.said]);
    expect(await checkLedger(ledger, directory)).toBe(3);
  });
});

describeWith('mounts', 'a place that may not be written', () => {
  it('is refused with an explanation on a read-only mount, and stays readable', async () => {
    await whileMounted(workshop, ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'ollm-lab'], async (directory) => {
      const { child } = await openElsewhere({ directory });
      await end(child);
      await whileMounted(workshop, ['-o', 'bind,ro', directory], async (readOnly) => {
        const store = openStore(readOnly);
        await expect(store.openWriter('notes')).rejects.toMatchObject({ code: 'JOURNAL_READ_ONLY' });
        await expect(store.create('more', { model: 'm' })).rejects.toMatchObject({ code: 'JOURNAL_READ_ONLY' });
        await expect(store.trash('notes')).rejects.toMatchObject({ code: 'JOURNAL_READ_ONLY' });
        await expect(store.writeDocument('notes', 'state', '{}')).rejects.toMatchObject({ code: 'JOURNAL_READ_ONLY' });
        const reader = store.openReader('notes');
        expect(await reader.verify()).toMatchObject({ damaged: 0 });
        reader.close();
      });
    });
  });
});

describeWith('another user', 'a place that may not be written', () => {
  it('is refused with an explanation if the permissions of its files forbid it', async () => {
    const directory = workshop.fresh();
    mkdirSync(directory, { mode: 0o700 });
    // Everybody may pass through to the program and to the directory.
    chmodSync(workshop.directory, 0o711);
    chownSync(directory, NOBODY, NOBODY);
    const { child, journal } = await openElsewhere({ directory, uid: NOBODY });
    await end(child);
    chmodSync(journal, 0o400);
    const second = workshop.start([directory, 'obey'], { uid: NOBODY });
    expect(await second.command('open')).toMatchObject({
      code: 'JOURNAL_READ_ONLY',
      hint: expect.stringContaining('tail'),
    });
    chmodSync(directory, 0o500);
    expect(await second.command('open')).toMatchObject({ code: 'JOURNAL_READ_ONLY' });
    await second.kill();
  });
});

function replaced(journal: string): void {
  copyFileSync(journal, `${journal}.copy`);
  renameSync(`${journal}.copy`, journal);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return 'not there';
  }
}
