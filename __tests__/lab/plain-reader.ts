// Reads a journal with nothing of lib/, like a program in another language that follows docs/journal-format.md. Finds
// the valid lines, each by itself. Every other reader has to find the same lines too.
import xxhash from 'xxhash-wasm';

const { h64Raw } = await xxhash();

export interface PlainLine {
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly xxh64: string;
  readonly offset: number;
}

/** Lines whose checksum holds and that are JSON, wherever they stand between two LF. */
export function plainLines(bytes: Uint8Array): PlainLine[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: PlainLine[] = [];
  for (let start = 0; start < file.length; ) {
    const lineFeed = file.indexOf(0x0a, start);
    const stop = lineFeed < 0 ? file.length : lineFeed;
    const line = plainLine(file.subarray(start, stop), start);
    if (line) found.push(line);
    start = stop + 1;
  }
  return found;
}

function plainLine(line: Buffer, offset: number): PlainLine | undefined {
  if (line.length < 29) return undefined;
  const tail = line.toString('latin1', line.length - 28);
  const stated = /^,"xxh64":"([0-9a-f]{16})"\}$/.exec(tail)?.[1];
  const computed = h64Raw(line.subarray(0, -28)).toString(16).padStart(16, '0');
  if (stated !== computed) return undefined;
  try {
    const { seq, type, data } = JSON.parse(line.toString('utf8'));
    return typeof seq === 'number' && typeof type === 'string' && typeof data === 'object'
      ? { seq, type, data, xxh64: computed, offset }
      : undefined;
  } catch {
    return undefined;
  }
}
