// Every journal that the tests write is read by others than the product: the reader of independent-reader.ts, and the
// `ndjson` package as any program on npm would use it.
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import ndjson from 'ndjson';
import { type PlainLine, readPlainly } from './independent-reader.ts';

/** What others read, after making sure that they agree. */
export async function readByOthers(bytes: Buffer): Promise<PlainLine[]> {
  const lines = readPlainly(bytes);
  const parsed: unknown[] = [];
  for await (const line of Readable.from([bytes]).pipe(ndjson.parse())) parsed.push(line);
  // Called ten thousand times: equal values need no `expect`, which takes many times longer.
  if (!isDeepStrictEqual(parsed, lines)) expect(parsed).toEqual(lines);
  return lines;
}
