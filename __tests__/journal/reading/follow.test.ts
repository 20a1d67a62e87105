import type { Outcome } from '../../../lib/journal/types.ts';
import type { FileSystem } from '../../../lib/platform/index.ts';
import { appendFile, journalDisk, linesOf, readerAtOnce, sampleJournal } from '../surgery.ts';

const followers = new Set<AbortController>();
/** A follower that a failed test leaves running would keep Jest from its end. */
afterEach(() => {
  for (const ending of followers) ending.abort();
  followers.clear();
});

/** Follows a journal and waits for its events. */
function follow(
  disk: ReturnType<typeof journalDisk>,
  after?: Parameters<ReturnType<typeof disk.reader>['follow']>[0]['after'],
) {
  const ending = new AbortController();
  followers.add(ending);
  const seen: string[] = [];
  const done = (async () => {
    for await (const batch of disk.reader().follow({ after, signal: ending.signal })) seen.push(...batch.map(tell));
  })();
  return {
    seen,
    async until(count: number) {
      for (let waited = 0; seen.length < count && waited < 1500; waited += 1) await pause(20);
      return seen.join(' ');
    },
    async end() {
      ending.abort();
      await done;
    },
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const tell = (outcome: Outcome) => (outcome.kind === 'event' ? String(outcome.event.seq) : outcome.damage.kind);
const say = (text: string) => ({ type: 'message.added', data: { text } });

/** Leaves the first that many lines. */
function cutBack(disk: ReturnType<typeof journalDisk>, lines: number): void {
  const kept = linesOf(disk.bytes()).slice(0, lines);
  const handle = disk.fileSystem.open(disk.place.path, 'append');
  handle.truncate(Buffer.concat(kept).length);
  handle.close();
}

/** This disk with a hook: `onLook` is called after each stat of an open file. */
function withLooks(fileSystem: FileSystem, onLook: () => void): FileSystem {
  return {
    ...fileSystem,
    open(path, mode) {
      const handle = fileSystem.open(path, mode);
      return {
        ...handle,
        stat() {
          const stat = handle.stat();
          onLook();
          return stat;
        },
      };
    },
  };
}

describe('a follower', () => {
  it('shows the existing lines, then new ones, and ends when it is aborted', async () => {
    const disk = journalDisk(sampleJournal(3));
    const follower = follow(disk);
    expect(await follower.until(3)).toBe('0 1 2');
    const writer = await disk.openWriter();
    await writer.append([say('a'), say('b')]);
    expect(await follower.until(6)).toBe('0 1 2 3 4 5');
    await writer.close();
    await follower.end();
  });

  it('begins after an anchor', async () => {
    const disk = journalDisk(sampleJournal(5));
    const anchor = (await disk.reader().verify()).head!;
    const follower = follow(disk, anchor);
    const writer = await disk.openWriter();
    expect(await follower.until(1)).toBe('5');
    await writer.close();
    await follower.end();
  });

  it('shows no line before it is whole', async () => {
    const whole = sampleJournal(3);
    const last = linesOf(whole)[2]!;
    const disk = journalDisk(whole.subarray(0, whole.length - last.length));
    const follower = follow(disk);
    await follower.until(2);
    for (let at = 0; at < last.length; at += 40) {
      appendFile(disk, last.subarray(at, at + 40));
      await pause(5);
    }
    expect(await follower.until(3)).toBe('0 1 2');
    await follower.end();
  });

  it('waits at a torn tail until a writer cut it off', async () => {
    const disk = journalDisk(Buffer.concat([sampleJournal(3), Buffer.from('{"seq":3,"ts":"20')]));
    const follower = follow(disk);
    await follower.until(3);
    await pause(150);
    expect(follower.seen.join(' ')).toBe('0 1 2');
    const writer = await disk.openWriter();
    expect(await follower.until(5)).toBe('0 1 2 3 4');
    await writer.close();
    await follower.end();
  });

  it('reports damage at its place', async () => {
    const disk = journalDisk(sampleJournal(2));
    const follower = follow(disk);
    await follower.until(2);
    appendFile(disk, Buffer.from('garbage\n'));
    appendFile(disk, linesOf(sampleJournal(4))[3]!);
    expect(await follower.until(4)).toBe('0 1 not-json 3');
    await follower.end();
  });

  it('goes back when lines were cut off', async () => {
    const whole = sampleJournal(5);
    const disk = journalDisk(whole);
    const follower = follow(disk);
    await follower.until(5);
    cutBack(disk, 3);
    const writer = await disk.openWriter();
    await writer.append(say('x'.repeat(2000)));
    expect(await follower.until(7)).toBe('0 1 2 3 4 3 4');
    await writer.close();
    await follower.end();
  });

  it('goes back to the same line a second time, and shows the new line once', async () => {
    const disk = journalDisk(sampleJournal(5));
    const follower = follow(disk);
    await follower.until(5);
    for (const [text, count] of [
      ['x'.repeat(2000), 7],
      ['y'.repeat(3000), 9],
    ] as const) {
      cutBack(disk, 3);
      disk.clock.set(Date.UTC(2027, 0, count));
      const writer = await disk.openWriter();
      await writer.append(say(text));
      await follower.until(count);
      await writer.close();
    }
    expect(follower.seen.join(' ')).toBe('0 1 2 3 4 3 4 3 4');
    await follower.end();
  });

  it.each([1, 2, 3])(
    'notices that lines were cut off immediately after its look number %i at the file',
    async (number) => {
      const disk = journalDisk(sampleJournal(3));
      let looksUntilCut = Number.POSITIVE_INFINITY;
      const fileSystem = withLooks(disk.fileSystem, () => {
        looksUntilCut -= 1;
        if (looksUntilCut === 0) cutBack(disk, 1);
      });
      const follower = follow(
        { ...disk, reader: () => readerAtOnce(fileSystem, disk.place) },
        (await disk.reader().verify()).head,
      );
      await pause(100);
      looksUntilCut = number;
      expect(await follower.until(1)).toBe('0');
      await follower.end();
    },
  );

  it('switches to a new file in the place of the old one', async () => {
    const whole = sampleJournal(3);
    const disk = journalDisk(whole);
    const follower = follow(disk);
    await follower.until(3);
    disk.put(sampleJournal(4), '/s/new');
    disk.fileSystem.rename('/s/new', disk.place.path);
    expect(await follower.until(4)).toBe('0 1 2 3');
    disk.fileSystem.unlink(disk.place.path);
    await pause(100);
    const another = journalDisk(undefined, disk.fileSystem);
    const writer = await another.create();
    expect(await follower.until(5)).toBe('0 1 2 3 0');
    await writer.close();
    await follower.end();
  });

  it('shows a long bad line in one batch, and no empty batch', async () => {
    const disk = journalDisk(Buffer.from(`${'{"seq":1,"ts":"'.repeat(100_000)}\n`));
    const ending = new AbortController();
    followers.add(ending);
    const batches: number[] = [];
    for await (const batch of disk.reader().follow({ signal: ending.signal })) {
      batches.push(batch.length);
      ending.abort();
    }
    expect(batches).toEqual([1]);
  });
});
