// Reads what another program hands over on standard input, up to a limit.
import { OllmError } from '../errors/index.ts';

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** All of it as text; empty on a terminal. @throws OllmError USAGE */
export async function readInput(input: NodeJS.ReadStream): Promise<string> {
  if (input.isTTY) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) {
      throw new OllmError('USAGE', 'Standard input holds more than 16 MiB.', { hint: 'Ask about a part of it.' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
