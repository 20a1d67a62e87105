// Text files in UTF-16, as some programs write them on Windows: they are read as text, and written back in their own
// encoding. One is known by its byte order mark; bytes that are no valid text in it are those of another kind of file.

type Utf16 = 'utf-16le' | 'utf-16be';

export const BYTE_ORDER_MARK = '\uFEFF';

const NAMES: Readonly<Record<Utf16, string>> = { 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16, big-endian' };
const PROBE_BYTES = 8192;

/** Undefined if the file is not one of text in UTF-16. `bytes`: at least its beginning. */
export function utf16Of(bytes: Uint8Array): Utf16 | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  if (encoding === undefined) return undefined;
  try {
    const probe = bytes.subarray(0, PROBE_BYTES);
    const isWhole = probe.length === bytes.length;
    const text = new TextDecoder(encoding, { fatal: true }).decode(probe, { stream: !isWhole });
    return text.includes('\0') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

export function nameOfEncoding(encoding: Utf16): string {
  return NAMES[encoding];
}

/** With its byte order mark. @throws TypeError if it is not valid to its end */
export function decodeUtf16(bytes: Uint8Array, encoding: Utf16): string {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
}

export function encodeUtf16(text: string, encoding: Utf16): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

interface Source {
  read(buffer: Uint8Array, position: number): number;
}

const RAW_BYTES = 64 * 1024;

/** The file in UTF-8, for a reader that goes from its beginning to its end. Broken characters become U+FFFD. */
export function asUtf8(source: Source, encoding: Utf16): Source {
  const decoder = new TextDecoder(encoding);
  const raw = new Uint8Array(RAW_BYTES);
  let position = 0;
  let rest: Uint8Array = new Uint8Array();
  let isAtEnd = false;
  return {
    read(buffer) {
      while (rest.length === 0 && !isAtEnd) {
        const length = source.read(raw, position);
        position += length;
        isAtEnd = length === 0;
        rest = Buffer.from(decoder.decode(raw.subarray(0, length), { stream: !isAtEnd }));
      }
      const taken = rest.subarray(0, buffer.length);
      buffer.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
  };
}
