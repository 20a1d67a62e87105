// Taking secrets out of 10 MB of text, against one trivial regular expression over the same text.
import { createRedactor } from '../../lib/environment/redact.ts';
import type { Case } from '../bench.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';

const TEXT_BYTES = 10_000_000;
const BYTES_PER_SECRET = 20_000;
const SECRET = ' ghp_0123456789abcdefghijABCDEFGHIJ012345 ';

export const run: Case = async function* ({ seed, pairs }) {
  const text = sessionText(seed);
  const redactor = createRedactor({ secretValues: ['correct-horse-battery', 'staple-0123456789'] });
  const bytes = Buffer.byteLength(text);
  const rate = async (work: () => void) => bytes / 1e6 / (await seconds(work));
  yield* await measure(
    {
      what: 'redaction of 10 MB, a token every 20 kB',
      unit: 'MB/s',
      subject: () =>
        rate(() => {
          if (redactor.redact(text).found.length === 0) throw new Error('nothing was found');
        }),
      against: [
        {
          name: 'one scan by /[A-Z]{20}/g',
          goal: { atLeast: 0.2 },
          run: () => rate(() => void text.match(/[A-Z]{20}/g)),
        },
      ],
    },
    pairs,
  );
};

/** What tools said in a generated session, with tokens in it. One flat string. */
function sessionText(seed: number): string {
  const parts: Buffer[] = [];
  let bytes = 0;
  let next = BYTES_PER_SECRET;
  for (const event of generatedEvents(Number.POSITIVE_INFINITY, { seed })) {
    if (event.type !== 'tool.finished') continue;
    const part = Buffer.from(event.data.result.llmContent);
    parts.push(part);
    bytes += part.length;
    if (bytes >= next) {
      parts.push(Buffer.from(SECRET));
      next += BYTES_PER_SECRET;
    }
    if (bytes >= TEXT_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, TEXT_BYTES);
}
