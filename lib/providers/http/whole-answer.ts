// An answer that is not the stream that was asked for: a whole answer in JSON, the words of an error with status 200, a
// page of HTML, or something else.
import { isObject, parseJson } from '../../platform/json.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { errorIn } from './error-message.ts';
import type { Failures } from './failures.ts';

/** The chunks of a whole answer. @throws OllmError the server's own error, or PROVIDER_BROKEN_STREAM */
export function readWhole(text: string, reader: ChunkReader, failures: Failures): readonly unknown[] {
  const value = parseJson(text);
  if (value === undefined) throw failures.notAnAnswer(text);
  const parts = Array.isArray(value) ? value : [value];
  const pieces = parts.flatMap((part) => (isObject(part) ? (reader.whole(part) ?? []) : []));
  if (pieces.length > 0) return pieces;
  const error = parts.map(errorIn).find((each) => each !== undefined);
  throw error === undefined ? failures.nonsense('it answered with JSON that is not an answer') : failures.said(error);
}
