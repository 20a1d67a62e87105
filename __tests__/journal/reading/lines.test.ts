import fc from 'fast-check';
import {
  BackwardLines,
  ForwardLines,
  type LineStep,
  type Lines,
  stepAtOnce,
} from '../../../lib/journal/reading/lines.ts';
import type { FileHandle } from '../../../lib/platform/files/file-system.ts';

/** A file that gives a few bytes at a time. */
function sourceOf(bytes: Uint8Array, step = Number.POSITIVE_INFINITY): Pick<FileHandle, 'read'> {
  return {
    read(target, position) {
      const found = bytes.subarray(position, position + Math.min(target.length, step));
      target.set(found);
      return found.length;
    },
  };
}

interface Seen {
  offset: number;
  length: number;
  end: number;
  terminated: boolean;
  text: string | undefined;
}

/** The next line, or one that is too long as a whole. */
function nextOf(lines: Lines, file: Pick<FileHandle, 'read'>): LineStep {
  for (let step = stepAtOnce(lines, file); ; step = stepAtOnce(lines, file)) if (step !== 'passing') return step;
}

function collect(lines: Lines, file: Pick<FileHandle, 'read'>): Seen[] {
  const seen: Seen[] = [];
  for (let step = nextOf(lines, file); step !== 'end'; step = nextOf(lines, file)) {
    const { offset, length, end, terminated, buffer, start, stop } = lines;
    const text = step === 'line' ? buffer.toString('latin1', start, stop) : undefined;
    seen.push({ offset, length, end, terminated, text });
  }
  return seen;
}

/** What a reading must give, in the plainest way. */
function expected(bytes: Buffer, maxLineBytes: number): Seen[] {
  const seen: Seen[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const found = bytes.indexOf(10, offset);
    const terminated = found >= 0;
    const stop = terminated ? found : bytes.length;
    const length = stop - offset;
    const end = terminated ? stop + 1 : stop;
    const text = length > maxLineBytes ? undefined : bytes.toString('latin1', offset, stop);
    seen.push({ offset, length, end, terminated, text });
    offset = end;
  }
  return seen;
}

const files = fc.record({
  bytes: fc
    .array(fc.oneof(fc.constant(10), fc.constant(13), fc.constant(0), fc.constant(97), fc.nat(255)), { maxLength: 200 })
    .map((bytes) => Buffer.from(bytes)),
  chunkBytes: fc.integer({ min: 1, max: 40 }),
  maxLineBytes: fc.integer({ min: 1, max: 60 }),
  step: fc.integer({ min: 1, max: 50 }),
});

describe('lines', () => {
  it('are cut at LF and at nothing else, in any chunks', () => {
    fc.assert(
      fc.property(files, fc.boolean(), ({ bytes, chunkBytes, maxLineBytes, step }, reuse) => {
        const lines = new ForwardLines(0, bytes.length, { chunkBytes, maxLineBytes, reuse });
        expect(collect(lines, sourceOf(bytes, step))).toEqual(expected(bytes, maxLineBytes));
      }),
      { numRuns: 1000 },
    );
  });

  it('come in reverse order from the end', () => {
    fc.assert(
      fc.property(files, ({ bytes, chunkBytes, maxLineBytes, step }) => {
        const lines = new BackwardLines(bytes.length, { chunkBytes, maxLineBytes });
        expect(collect(lines, sourceOf(bytes, step))).toEqual(expected(bytes, maxLineBytes).reverse());
      }),
      { numRuns: 1000 },
    );
  });

  it('end at the end of the reading or of the file, whichever comes first', () => {
    const bytes = Buffer.from('one\ntwo\nthree\n');
    const textsTo = (to: number) => collect(new ForwardLines(4, to), sourceOf(bytes)).map(({ text }) => text);
    expect(textsTo(11)).toEqual(['two', 'thr']);
    expect(textsTo(999)).toEqual(['two', 'three']);
  });

  it('read backwards end if the file can no longer be read', () => {
    const bytes = Buffer.from('one\ntwo\nthree\n');
    const lines = new BackwardLines(bytes.length, { chunkBytes: 6 });
    let isGone = false;
    const file = {
      read: (target: Uint8Array, position: number) => (isGone ? 0 : sourceOf(bytes).read(target, position)),
    };
    expect(nextOf(lines, file)).toBe('line');
    isGone = true;
    expect(collect(lines, file).map(({ text }) => text)).toEqual(['two', 'e']);
  });

  it('of a gigabyte are skipped in little memory', () => {
    const size = 2 ** 30;
    const source: Pick<FileHandle, 'read'> = {
      read(target, position) {
        const count = Math.max(0, Math.min(target.length, size - position));
        target.fill(0x61, 0, count);
        if (position + count === size && count > 0) target[count - 1] = 10;
        return count;
      },
    };
    const before = process.memoryUsage().rss;
    const lines = new ForwardLines(0, size, { reuse: true });
    expect(nextOf(lines, source)).toBe('oversize');
    expect(lines.length).toBe(size - 1);
    expect(nextOf(lines, source)).toBe('end');
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
  });
});
