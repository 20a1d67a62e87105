// What a file keeps when all of its text is replaced, because a model does not see it: its byte order mark, its CRLF
// line ends, and UTF-16. A text that has CRLF line ends of its own is taken as it is. Pure.
import { isUtf8 } from 'node:buffer';
import { BYTE_ORDER_MARK, decodeUtf16, encodeUtf16, nameOfEncoding, utf16Of } from '../text-encoding.ts';
import { endsInCarriageReturns, withCarriageReturns } from './replacement.ts';

interface KeptForm {
  readonly bytes: Uint8Array;
  /** Which parts were kept and which were not, for people and the model. */
  readonly notes: readonly string[];
}

export function keepForm(before: Uint8Array, content: string): KeptForm {
  const utf16 = utf16Of(before);
  const old = utf16 === undefined ? Buffer.from(before) : inUtf8(before, utf16);
  const notes: string[] = [];
  let text = content;
  if (utf16 === undefined && !isUtf8(before)) notes.push('it was not in UTF-8, and is now');
  if (endsInCarriageReturns(old) && text.includes('\n') && !text.includes('\r')) {
    text = withCarriageReturns(text);
    notes.push('its CRLF line ends are kept');
  }
  if (old.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) && !text.startsWith(BYTE_ORDER_MARK)) {
    text = `${BYTE_ORDER_MARK}${text}`;
    if (utf16 === undefined) notes.push('its byte order mark is kept');
  }
  if (utf16 === undefined) return { bytes: Buffer.from(text), notes };
  return { bytes: encodeUtf16(text, utf16), notes: [`it stays in ${nameOfEncoding(utf16)}`, ...notes] };
}

function inUtf8(bytes: Uint8Array, utf16: NonNullable<ReturnType<typeof utf16Of>>): Buffer {
  try {
    return Buffer.from(decodeUtf16(bytes, utf16));
  } catch {
    return Buffer.from(BYTE_ORDER_MARK);
  }
}
