// Bytes as a hex dump: offset, bytes, and the text that they are as far as it can be seen.

interface HexLine {
  readonly offset: string;
  readonly hex: string;
  readonly text: string;
}

/**
 * @example
 * hexLines(bytes, { offset: 4096, perLine: 8 }); // [{ offset: '1000', hex: '7b 22 …', text: '{"seq":9' }]
 */
export function hexLines(
  bytes: Uint8Array,
  { offset = 0, perLine = 16 }: { offset?: number; perLine?: number } = {},
): HexLine[] {
  return Array.from({ length: Math.ceil(bytes.length / perLine) }, (_, line) => {
    const part = [...bytes.subarray(line * perLine, (line + 1) * perLine)];
    return {
      offset: (offset + line * perLine).toString(16).padStart(4, '0'),
      hex: part.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      text: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(''),
    };
  });
}
