// The runs of three words in a text, a hash for each: by them two texts are compared, and a text that says nothing five times
// is known not to repeat itself. One pass over the text, as much of it as comes in one piece, in WebAssembly: the door to
// assembly/runs.ts, made at its first use. What is read of one text lies where the next one is read to.
import { Instance, Memory, moduleOf } from '../journal/line/assembly.ts';
import { BLANKS, unitTable } from './code-units.ts';
import { RUNS_BASE64 } from './runs.generated.ts';

/** Good until the next text is read. */
export interface Runs {
  readonly words: number;
  /** One for each run, in order. */
  readonly hashes: Uint32Array;
  /** How often the same run came at most, up to 256; more where two share a bucket. */
  readonly repetitions: number;
  /** All of the text was read, and wherever it is cut, a word ends within the next 30 characters. */
  readonly isDense: boolean;
  /** The hashes fall into classes: the smallest rank of each, `NO_RANK` where a class has none. */
  readonly smallest: Int32Array;
}

/** More than a rank can be. */
export const NO_RANK = 2 ** 27;

/** Case, punctuation and figures do not count. */
export function readRuns(text: string): Runs {
  reading ??= openReading();
  const { maxUnits, input, hashes, smallest, exports } = reading;
  const units = input.write(text.length <= maxUnits ? text : text.slice(0, maxUnits), 'utf16le') / 2;
  const words = exports.readRuns(units);
  return {
    words,
    hashes: hashes.subarray(0, Math.max(0, words - 2)),
    repetitions: exports.mostRepeated.value,
    isDense: units === text.length && exports.isDense.value !== 0,
    smallest,
  };
}

interface Place {
  readonly value: number;
}

/** See assembly/runs.ts. */
interface Exports {
  readonly maxUnits: Place;
  readonly maxRuns: Place;
  readonly classes: Place;
  readonly tableAt: Place;
  readonly inputAt: Place;
  readonly runsAt: Place;
  readonly smallestAt: Place;
  readonly memoryBytes: Place;
  readonly mostRepeated: Place;
  readonly isDense: Place;
  readRuns(units: number): number;
}

interface Reading {
  readonly maxUnits: number;
  readonly input: Buffer;
  readonly hashes: Uint32Array;
  readonly smallest: Int32Array;
  readonly exports: Exports;
}

const PAGE_BYTES = 64 * 1024;
/** What of it is never touched takes nothing. */
const PAGES = 8;

let reading: Reading | undefined;

function openReading(): Reading {
  const memory = new Memory({ initial: PAGES, maximum: PAGES });
  const exports = new Instance(moduleOf(RUNS_BASE64), { env: { memory } }).exports as Exports;
  const { maxUnits, maxRuns, classes, tableAt, inputAt, runsAt, smallestAt, memoryBytes } = exports;
  if (memoryBytes.value > PAGES * PAGE_BYTES) throw new RangeError('The memory is too small for what assembly/ asks.');
  const { buffer } = memory;
  const table = wordUnits();
  new Uint16Array(buffer, tableAt.value, table.length).set(table);
  return {
    maxUnits: maxUnits.value,
    input: Buffer.from(buffer, inputAt.value, 2 * maxUnits.value),
    hashes: new Uint32Array(buffer, runsAt.value, maxRuns.value),
    smallest: new Int32Array(buffer, smallestAt.value, classes.value),
    exports,
  };
}

/** Stands for all that is between words. */
const BLANK = 0;
/** Any digit counts as this one. */
const DIGIT = 0x30;

/** What a character is to a word: itself, or one of the two above. */
const wordUnits = unitTable((table) => {
  for (let unit = 0; unit < 0x80; unit++) if (!/[a-z]/iu.test(String.fromCharCode(unit))) table[unit] = BLANK;
  for (const blank of BLANKS) table[blank.charCodeAt(0)] = BLANK;
  table.fill(DIGIT, DIGIT, DIGIT + 10);
});
