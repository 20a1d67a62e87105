// The part of a line that its seal covers in addition to the data. It is taken from the bytes of the line, before they
// are written and as they are read, so that no member can be forgotten, not even one that only a later version knows.
import { LINE_TAIL_BYTES } from '../../journal/format.ts';

const BEGINNING = /^\{"seq":\d{1,16}(?=,)/;
const TAIL = /^,"prev":"[\da-f]{16}","xxh64":"[\da-f]{16}"\}$/;

/** Before version 2: session, number and type. */
export function contextOf(id: string, seq: number, type: string): string {
  return `ollm line\n${id}\n${seq}\n${type}`;
}

/** For a line to be written: its bytes before the sealed data, and after it up to the chain. */
export function contextOfLine(id: string, before: string, after: string): Buffer {
  return Buffer.from(`${prefixOf(id)}${before.replace(BEGINNING, '')}\0${after}`);
}

/** For a line that was read. Undefined if it does not have the form in which lines are written. */
export function contextOfStored(id: string, raw: Uint8Array, sealed: string): Buffer | undefined {
  const line = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const beginning = BEGINNING.exec(line.toString('latin1', 0, 32))?.[0];
  const at = line.indexOf(sealed, 0, 'latin1');
  const tail = line.length - LINE_TAIL_BYTES;
  if (beginning === undefined || at === -1 || !TAIL.test(line.toString('latin1', Math.max(0, tail)))) return undefined;
  const [before, after] = [line.subarray(beginning.length, at), line.subarray(at + sealed.length, tail)];
  return Buffer.concat([Buffer.from(prefixOf(id)), before, Buffer.of(0), after]);
}

/** The number of a line may be another one after a repair; the one that it was written with is after its data. */
function prefixOf(id: string): string {
  return `ollm line 2\n${id}\n`;
}
