// How large an image is, as its header says, so that a page can make room before it has the image. A turned photograph
// has the size of its stored form.

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Undefined where the header does not say it, or says nothing that can be. */
export function imageSizeOf(bytes: Uint8Array): ImageSize | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = sizeIn(view);
  return size !== undefined && isSide(size.width) && isSide(size.height) ? size : undefined;
}

const MOST = 1_000_000;

function isSide(side: number): boolean {
  return side > 0 && side <= MOST;
}

function sizeIn(view: Buffer): ImageSize | undefined {
  const kind = view.toString('latin1', 0, 4);
  if (kind === '\x89PNG' && view.length >= 24) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  if (kind === 'GIF8' && view.length >= 10) return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  if (kind.startsWith('\xff\xd8\xff')) return sizeOfJpeg(view);
  return kind === 'RIFF' && view.length >= 30 ? sizeOfWebp(view) : undefined;
}

/** The frame comes after some other segments, each with its length. */
function sizeOfJpeg(view: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= view.length; ) {
    if (view[at] !== 0xff) return undefined;
    const marker = view[at + 1]!;
    // Tables of Huffman codes and of arithmetic conditions have numbers among those of frames.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.readUInt16BE(at + 2);
  }
  return undefined;
}

function sizeOfWebp(view: Buffer): ImageSize | undefined {
  switch (view.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + view.readUIntLE(24, 3), height: 1 + view.readUIntLE(27, 3) };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
