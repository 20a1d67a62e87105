// The frames of Amazon's binary event stream, each with two checksums: read before the vendor's package does, and
// written where a piece was mended.
// The layout: https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html
import { crc32 } from 'node:zlib';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const TEXT_HEADER = 7;
/** Bytes of a header's value, by its type; a text or a list of bytes has its length before it. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const MAX_FRAME_BYTES = 24 * 1024 * 1024;

export interface Frame {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bytes of the frame that begins here; undefined until that is known. `null` if these are not bytes of a frame. */
export function frameLength(bytes: Buffer): number | undefined | null {
  if (bytes.length < PRELUDE_BYTES) return bytes.length > 0 && bytes[0] !== 0 && bytes[0]! > 1 ? null : undefined;
  const length = bytes.readUInt32BE(0);
  const isFrame =
    length >= PRELUDE_BYTES + CHECKSUM_BYTES &&
    length <= MAX_FRAME_BYTES &&
    crc32(bytes.subarray(0, PRELUDE_BYTES - CHECKSUM_BYTES)) === bytes.readUInt32BE(PRELUDE_BYTES - CHECKSUM_BYTES);
  return isFrame ? length : null;
}

/** Undefined if its checksum or its headers are wrong. */
export function readFrame(bytes: Buffer): Frame | undefined {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined;
  const bodyStart = PRELUDE_BYTES + bytes.readUInt32BE(4);
  const headers: Record<string, string> = {};
  let at = PRELUDE_BYTES;
  while (at < bodyStart) {
    const nameEnd = at + 1 + bytes[at]!;
    const type = bytes[nameEnd]!;
    const isCounted = type === TEXT_HEADER || type === TEXT_HEADER - 1;
    const valueStart = nameEnd + (isCounted ? 3 : 1);
    const valueBytes = isCounted ? bytes.readUInt16BE(nameEnd + 1) : VALUE_BYTES[type];
    if (valueBytes === undefined || valueStart + valueBytes > bodyStart) return undefined;
    if (type === TEXT_HEADER)
      headers[bytes.toString('utf8', at + 1, nameEnd)] = bytes.toString('utf8', valueStart, valueStart + valueBytes);
    at = valueStart + valueBytes;
  }
  return bodyStart > end ? undefined : { headers, body: bytes.toString('utf8', bodyStart, end) };
}

/** The frame of an event. */
export function writeFrame(eventType: string, payload: unknown): Buffer {
  const headers = Buffer.concat([
    header(':event-type', eventType),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(PRELUDE_BYTES - CHECKSUM_BYTES);
  prelude.writeUInt32BE(PRELUDE_BYTES + headers.length + body.length + CHECKSUM_BYTES, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([start, checksum(start)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.of(Buffer.byteLength(name)),
    Buffer.from(name),
    Buffer.of(TEXT_HEADER),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
