// Ctrl+C inside one long journal: a command ends within a few batches of its reading, however much is left. The tests
// count bytes, not time: SIGINT comes at a fixed place of the reading, and the process reports how much it read after
// that.
import { once } from 'node:events';
import { appendFileSync, closeSync, copyFileSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { createHome, type Home } from '../../support/cli.ts';
import { writeJournal } from '../../support/generated-journals.ts';

const MIB = 1024 ** 2;
const JOURNAL_BYTES = 24 * MIB;
const INTERRUPTED = 130;
/** Sixteen batches: between two of them the event loop has a turn, in which the signal can arrive. */
const READ_AFTER_SIGINT = 4 * MIB;
const HOLE_BYTES = 256 * MIB;

/**
 * Sends SIGINT to its own process once that many bytes of journals were read, and reports how many were read after
 * that.
 */
const interruptedAfter = (bytes: number): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { openSync, readSync } = fs;
    const journals = new Set();
    let read = 0;
    let sent = false;
    fs.openSync = (path, ...rest) => {
      const descriptor = openSync(path, ...rest);
      if (String(path).endsWith('.jsonl')) journals.add(descriptor);
      else journals.delete(descriptor);
      return descriptor;
    };
    fs.readSync = (descriptor, ...rest) => {
      const count = readSync(descriptor, ...rest);
      if (!journals.has(descriptor)) return count;
      read += count;
      if (read >= ${bytes} && !sent) {
        sent = true;
        read = 0;
        fs.writeSync(2, 'SENT\\n');
        process.kill(process.pid, 'SIGINT');
      }
      return count;
    };
    syncBuiltinESMExports();
    process.on('exit', () => fs.writeSync(2, 'READ ' + read + '\\n'));
  `)}`,
];

let home: Home;

async function interrupt(args: readonly string[], { after }: { readonly after: number }) {
  const child = home.start(args, { nodeOptions: interruptedAfter(after) });
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => {
    stderr += text;
  });
  child.stdout?.resume();
  child.stdin?.end();
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return {
    wasReading: stderr.includes('SENT\n'),
    // What a shell reports of a process that a signal ended. Such a process reads nothing more.
    exitCode: signal === null ? code : 128 + constants.signals[signal],
    readAfterwards: signal === null ? Number(/READ (\d+)/.exec(stderr)?.[1]) : 0,
  };
}

beforeAll(async () => {
  home = createHome();
  await home.append('small', [{ type: 'note.made', data: {} }]);
  await writeJournal(home.sessions, 'long', { bytes: JOURNAL_BYTES });
  copyFileSync(home.journal('long'), home.journal('other'));
  copyFileSync(home.journal('long'), home.journal('damaged'));
  appendFileSync(home.journal('damaged'), 'not a line\n');
  // Sparse: next to nothing of it is on the disk.
  copyFileSync(home.journal('small'), home.journal('hole'));
  const file = openSync(home.journal('hole'), 'r+');
  writeSync(file, `\n${readFileSync(home.journal('small'), 'latin1')}`, fstatSync(file).size + HOLE_BYTES);
  closeSync(file);
});
afterAll(() => home[Symbol.dispose]());

describe('Ctrl+C inside one long journal', () => {
  it.each([
    ['verify long'],
    ['verify long --deep'],
    ['replay long'],
    ['export long'],
    ['export long --format md'],
    ['tail long -n all'],
    ['tail long --type nothing'],
    ['show long'],
    ['diff long other'],
    ['audit long'],
    ['loop long'],
    ['repair damaged'],
    ['fork long'],
  ])('ends `ollm %s` with most of it unread', async (line) => {
    const { wasReading, exitCode, readAfterwards } = await interrupt(line.split(' '), { after: MIB });
    expect({ wasReading, exitCode }).toEqual({ wasReading: true, exitCode: INTERRUPTED });
    expect(readAfterwards).toBeLessThanOrEqual(READ_AFTER_SIGINT);
  });

  it.each([['verify'], ['show'], ['export'], ['tail']])(
    'ends `ollm %s` in the middle of a bad line',
    async (command) => {
      const { wasReading, exitCode, readAfterwards } = await interrupt([command, 'hole'], { after: 100 * MIB });
      expect({ wasReading, exitCode }).toEqual({ wasReading: true, exitCode: INTERRUPTED });
      expect(readAfterwards).toBeLessThanOrEqual(READ_AFTER_SIGINT);
    },
  );
});
