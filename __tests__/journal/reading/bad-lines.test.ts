// A bad line costs time in proportion to its length, with any contents: the tests count the bytes that are examined.
import { checksum } from '../../../lib/journal/line/checksum.ts';
import { partsOf } from '../../../lib/journal/reading/examine.ts';
import { ForwardReading, type ReadingStep, readBackwards } from '../../../lib/journal/reading/scan.ts';
import { verifyJournal } from '../../../lib/journal/reading/verify.ts';
import type { FileHandle } from '../../../lib/platform/files/file-system.ts';
import { stepsAtOnce } from '../../support/at-once.ts';
import { journalDisk } from '../surgery.ts';

const BYTES = 32 * 1024;
const START = '{"seq":61,"ts":"';
const TIME = '2026-11-21T20:49:00.123Z';
const STOP = ',"xxh64":"0123456789abcdef"}';

const repeated = (text: string, bytes = BYTES) => text.repeat(Math.ceil(bytes / text.length));

/** A line as a writer writes it. */
function lineOf(data: string): string {
  const text = `{"seq":5,"ts":"${TIME}","type":"a.b","data":${data},"prev":"0123456789abcdef"`;
  return `${text},"xxh64":"${checksum(Buffer.from(text))}"}`;
}

const flipped = (line: string) => line.replace('"a.b"', '"a.c"');
const nested = `{"a":[${repeated('{"seq":1,"ts":""},').slice(0, -1)}]}`;
const copies = `{"a":[${repeated(`${lineOf('{}')},`).slice(0, -1)}]}`;

const BAD_LINES: Record<string, string> = {
  'beginnings of lines': repeated(START),
  'beginnings of lines, ended as one': repeated(START) + STOP,
  'ends of lines': START + repeated(`${STOP}#`),
  'beginnings, then ends': repeated(START, BYTES / 2) + repeated(`${STOP}#`, BYTES / 2),
  'beginnings and ends by turns': repeated(`${START}${STOP}`),
  'one beginning and many nested ends': START + repeated(STOP),
  'a line with nested beginnings, of which a bit was flipped': flipped(lineOf(nested)),
  'a line with copies of lines, of which a bit was flipped': flipped(lineOf(copies)),
  'a line with copies of lines, of which the end is missing': lineOf(copies).slice(0, -200),
  'a line with copies of lines, of which the beginning is missing': lineOf(copies).slice(40),
  'quotes that are escaped': `${START}${repeated('\\"')}${STOP}`,
  backslashes: `${START}${repeated('\\')}"${STOP}`,
  'closing braces': `${START}${repeated('}')}${STOP}`,
  'opening braces': `${repeated('{"a":')}${STOP}`,
  'whole lines without LF between them': repeated(lineOf('{"text":"x"}')),
  'torn lines before whole ones': repeated(lineOf('{"text":"x"}').slice(0, 90) + lineOf('{"text":"x"}')),
  zeros: repeated('\0'),
};

/** How often a byte is looked at, at the most: by the checksum of the whole, and each of the searches. */
const LOOKS = 12;

describe('a bad line of', () => {
  it.each(Object.entries(BAD_LINES))('%s is examined a bounded number of times, torn or not', (_what, text) => {
    for (const times of [1, 4]) {
      const line = Buffer.from(
        times === 1 ? text : text.slice(0, -STOP.length).repeat(times) + text.slice(-STOP.length),
      );
      for (const terminated of [true, false]) {
        const looks = looksAt(line, terminated);
        expect(looks / line.length).toBeLessThan(LOOKS);
        expect(looks).toBeGreaterThan(0);
      }
    }
  });
});

const pausesOf = (source: FileHandle, steps: Iterable<ReadingStep>) =>
  [...stepsAtOnce(source, steps)].filter(({ length }) => length === 0).length;

describe('a short bad line of', () => {
  it.each(Object.entries(BAD_LINES))('%s is read without a pause', (_what, text) => {
    for (const end of ['\n', '']) {
      const { fileSystem, place } = journalDisk(Buffer.from(text + end));
      const source = fileSystem.open(place.path, 'read');
      expect(pausesOf(source, new ForwardReading(source, { isBeingWritten: () => false }).steps())).toBe(0);
    }
  });
});

describe('a long bad line of', () => {
  it.each([
    ['beginnings of lines', repeated(START, 1024 * 1024)],
    ['nested beginnings of lines', START + repeated(`:${START}`, 1024 * 1024)],
    ['ends of lines', START + repeated(`${STOP}#`, 1024 * 1024)],
    ['nested ends of lines', START + repeated(`${STOP},`, 1024 * 1024)],
    ['whole lines without LF between them', repeated(lineOf('{}'), 3 * 1024 * 1024)],
    ['quotes that are escaped', `${START}${repeated('\\"', 9 * 1024 * 1024)}${STOP}`],
  ])('%s lets other work run while it is read, in either direction', async (_what, text) => {
    const { fileSystem, place } = journalDisk(Buffer.from(`${text}\n`));
    const source = fileSystem.open(place.path, 'read');
    const isBeingWritten = () => false;
    const pauses = pausesOf(source, new ForwardReading(source, { isBeingWritten }).steps());
    expect(pauses).toBeGreaterThan(1);
    expect(pausesOf(source, readBackwards(source, isBeingWritten))).toBeGreaterThan(1);
    let paused = 0;
    const pause = async () => {
      paused += 1;
    };
    await verifyJournal(source, { isBeingWritten, pause });
    expect(paused).toBeGreaterThanOrEqual(pauses);
  });
});

function looksAt(bytes: Buffer, terminated: boolean): number {
  const counter = { looks: 0 };
  const buffer = counted(bytes, counter);
  const span = { buffer, start: 0, stop: bytes.length, offset: 1000, end: 1001 + bytes.length };
  const steps = partsOf({ ...span, length: bytes.length, terminated }, 'line');
  while (!steps.next().done);
  return counter.looks;
}

/** Equal bytes; each examined byte is counted, in a single access and in a search, a copy or a hash of many bytes. */
function counted(bytes: Buffer, counter: { looks: number }): Buffer {
  const methods: Record<string, (...given: never[]) => unknown> = {
    subarray: (start?: number, stop?: number) => counted(bytes.subarray(start, stop), counter),
    toString: (encoding: BufferEncoding, start: number, stop: number) => {
      counter.looks += stop - start;
      return bytes.toString(encoding, start, stop);
    },
    indexOf: (sought: Uint8Array, from = 0) => {
      const found = bytes.indexOf(sought, from);
      counter.looks += (found < 0 ? bytes.length : found + sought.length) - from;
      return found;
    },
    includes: (sought: number) => {
      const found = bytes.indexOf(sought);
      counter.looks += found < 0 ? bytes.length : found + 1;
      return found >= 0;
    },
    at: (index: number) => bytes.at(index),
  };
  return new Proxy(bytes, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) {
        counter.looks += 1;
        return target[Number(name)];
      }
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = methods[String(name)];
      if (method === undefined) throw new Error(`Not counted: ${String(name)}`);
      return method;
    },
  });
}
