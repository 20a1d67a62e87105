// The door to assembly/escape.ts: long text becomes the inside of a JSON string, in UTF-8, several times as fast as
// JSON.stringify and without a string in between. Made at its first use: who only reads never needs it.
import { Instance, Memory, moduleOf } from './assembly.ts';
import { ESCAPE_BASE64 } from './escape.generated.ts';

interface Place {
  readonly value: number;
}

/** See assembly/escape.ts. */
interface Exports {
  readonly maxUnits: Place;
  readonly inputAt: Place;
  readonly outputAt: Place;
  readonly memoryBytes: Place;
  escapeUnits(units: number): number;
}

/** Where text is put, and where it is found as bytes. Good until the next call. */
interface Window {
  readonly maxUnits: number;
  readonly input: Buffer;
  readonly output: Buffer;
  escapeUnits(units: number): number;
}

const PAGE_BYTES = 64 * 1024;
/** Small enough that its memory, which is never given back, is too. */
const PAGES = 3;

let opened: Window | undefined;

function openWindow(): Window {
  const memory = new Memory({ initial: PAGES, maximum: PAGES });
  const exports = new Instance(moduleOf(ESCAPE_BASE64), { env: { memory } }).exports as Exports;
  const { maxUnits, inputAt, outputAt, memoryBytes, escapeUnits } = exports;
  if (memoryBytes.value > PAGES * PAGE_BYTES) throw new RangeError('The memory is too small for what assembly/ asks.');
  return {
    maxUnits: maxUnits.value,
    input: Buffer.from(memory.buffer, inputAt.value, outputAt.value - inputAt.value),
    output: Buffer.from(memory.buffer, outputAt.value),
    escapeUnits,
  };
}

/**
 * Escapes `text` piece by piece. Each piece is the first `length` bytes of `bytes`, which stay so until the callback returns.
 *
 * @example
 * eachEscapedPiece('two\nlines', (bytes, length) => bytes.copy(target, 0, 0, length));
 */
export function eachEscapedPiece(text: string, take: (bytes: Buffer, length: number) => void): void {
  opened ??= openWindow();
  const { maxUnits, input, output, escapeUnits } = opened;
  for (let start = 0; start < text.length; ) {
    const stop = text.length - start <= maxUnits ? text.length : wholeCharacters(text, start + maxUnits);
    input.write(start === 0 && stop === text.length ? text : text.slice(start, stop), 'utf16le');
    take(output, escapeUnits(stop - start));
    start = stop;
  }
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, stop: number): number {
  return (text.charCodeAt(stop - 1) & 0xfc00) === 0xd800 ? stop - 1 : stop;
}
