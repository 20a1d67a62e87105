// Real processes on a real disk: two that contend for one journal, and one that is killed while it writes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { acquireLock, isLocked } from '../../lib/journal/files/lock.ts';
import { openJournalWriter } from '../../lib/journal/writing/writer.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { placeIn, realPorts } from '../support/journal-on-disk.ts';
import { readByOthers } from './other-readers.ts';
import { damageOf, readerAtOnce } from './surgery.ts';

const CHILD = join(import.meta.dirname, '../support/journal-child.ts');
const directory = mkdtempSync(join(tmpdir(), 'ollm-journal-'));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

const placeOf = (id: string) => placeIn(directory, id);
const dependencies = realPorts('a test');

/** Starts a child and collects its output. */
function start(id: string, what: 'hold' | 'write') {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, directory, id, what], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const said: string[] = [];
  let enough = 0;
  let wake = () => {};
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    said.push(line);
    if (said.length >= enough) wake();
  });
  const closed = once(output, 'close');
  return {
    child,
    said,
    closed,
    /** Waits until it said that many lines. */
    async hears(lines: number) {
      enough = lines;
      if (said.length < lines) await Promise.race([closed, new Promise<void>((resolve) => (wake = resolve))]);
      return said;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('two processes', () => {
  it('cannot write one journal: the second learns which process does, and may read', async () => {
    const holder = start('held', 'hold');
    expect(await holder.hears(1)).toEqual(['open']);
    const place = placeOf('held');
    expect(isLocked(nodeFileSystem, place.lockPath)).toBe(true);
    const opening = openJournalWriter(dependencies, place);
    await expect(opening).rejects.toMatchObject({
      code: 'JOURNAL_LOCKED',
      message: expect.stringMatching(
        new RegExp(`^Session held is in use by process ${holder.child.pid} \\(ollm repl, since \\d\\d:\\d\\d\\)\\.$`),
      ),
      hint: 'Close it there and try again. To read it meanwhile: "ollm tail held"',
    });
    const other = start('held', 'hold');
    await other.closed;
    expect(other.said[0]).toBe('JOURNAL_LOCKED');
    const reader = readerAtOnce(nodeFileSystem, place);
    expect([...reader.outcomes()]).toHaveLength(1);
    expect(reader.isBeingWritten()).toBe(true);
    expect(readFileSync(place.lockPath)).toHaveLength(0);

    await holder.kill();
    expect(reader.isBeingWritten()).toBe(false);
    reader.close();
    const writer = await openJournalWriter(dependencies, place);
    expect(writer.report).toMatchObject({ epoch: 1, clean: false, damage: [] });
    await writer.close();
  });

  it('do not see a line of each other before it is whole', async () => {
    const place = placeOf('in-flight');
    const writer = start('in-flight', 'hold');
    await writer.hears(1);
    const whole = readFileSync(place.path);
    writeFileSync(place.path, '{"seq":1,"ts":"', { flag: 'a' });
    const reader = readerAtOnce(nodeFileSystem, place);
    expect([...reader.outcomes()].map(({ kind }) => kind)).toEqual(['event']);
    expect([...reader.backwards()].map(({ kind }) => kind)).toEqual(['event']);
    expect(await reader.verify()).toMatchObject({ events: 1, damaged: 0 });
    await writer.kill();
    expect(damageOf(reader.outcomes())).toMatchObject([{ kind: 'torn-tail', offset: whole.length }]);
    reader.close();
  });

  it('cannot both hold the lock of a file that was removed in the meantime', async () => {
    const { lockPath } = placeOf('removed');
    const first = await acquireLock(nodeFileSystem, lockPath);
    expect(first).toBeDefined();
    rmSync(lockPath);
    // The name is free again: what a newcomer locks is another file, and it is the one that counts.
    const second = await acquireLock(nodeFileSystem, lockPath);
    expect(second).toBeDefined();
    first!.close();
    expect(isLocked(nodeFileSystem, lockPath)).toBe(true);
    second!.close();
    expect(isLocked(nodeFileSystem, lockPath)).toBe(false);
  });
});

describe('a process that is killed while it writes', () => {
  it('has lost nothing that it acknowledged', async () => {
    const place = placeOf('killed');
    const acknowledged = new Map<number, string>();
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      const writer = start('killed', 'write');
      await writer.hears(150 + round * 37);
      await writer.kill();
      expect(writer.said[0]).toBe('open');
      // The last line may have been cut off by the death of its process.
      for (const line of writer.said.slice(1)) {
        const [, seq, text] = /^(\d+) \w+ (\d+-\d+-\d+)$/.exec(line) ?? [];
        if (seq && text) acknowledged.set(Number(seq), text);
      }
    }
    const writer = await openJournalWriter(dependencies, place);
    await writer.close();
    expect(writer.report.epoch).toBe(rounds);
    const lines = await readByOthers(readFileSync(place.path));
    expect(acknowledged.size).toBeGreaterThan(rounds * 100);
    for (const [seq, text] of acknowledged) expect(lines[seq]!.data.text).toBe(text);
  });
});
