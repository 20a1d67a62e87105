// A line of NDJSON as an object, by the ndjson package. Two guards come before it: a line that is `null` would end
// its stream, and a line that is not JSON must fail only by itself.
import ndjson from 'ndjson';
import { OllmError } from '../../../errors/index.ts';

/** @throws OllmError EVENT_INVALID: the line does not hold a JSON object */
export type ParseJsonLine = (line: string) => object;

/**
 * A parser for the lines of one stream, in their order.
 *
 * @example
 * const parse = createJsonLineParser();
 * parse('{"type":"note.made","data":{}}'); // { type: 'note.made', data: {} }
 */
export function createJsonLineParser(): ParseJsonLine {
  const parser = ndjson.parse();
  // It reports a broken line by an event, and quotes its beginning, which may be a secret.
  parser.on('error', () => {});
  return (line) => {
    if (!/^\s*\{/.test(line)) throw new OllmError('EVENT_INVALID', 'The line is not a JSON object.');
    parser.write(`${line}\n`);
    const value: unknown = parser.read();
    if (value === null) throw new OllmError('EVENT_INVALID', `The line is not JSON: ${faultOf(line)}.`);
    return value as object;
  };
}

function faultOf(line: string): string {
  try {
    JSON.parse(line);
    return 'it cannot be read';
  } catch (error) {
    return (error as Error).message;
  }
}
