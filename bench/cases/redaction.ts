// Taking secrets out of 10 MB of text, against one trivial regular expression over the same text.
import { createRedactor } from '../../lib/environment/redact.ts';
import type { Case } from '../bench.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';

const TEXT_LENGTH = 10_000_000;
const EVERY = 20_000;
const SECRET = ' ghp_0123456789abcdefghijABCDEFGHIJ012345 ';

export const run: Case = async function* ({ seed, pairs }) {
  const text = sessionText(seed);
  const redactor = createRedactor({ secretValues: ['correct-horse-battery', 'staple-0123456789'] });
  const rate = async (work: () => void) => text.length / 1e6 / (await seconds(work));
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
  const parts: string[] = [];
  let length = 0;
  let next = EVERY;
  for (const event of generatedEvents(Number.POSITIVE_INFINITY, { seed })) {
    if (event.type !== 'tool.finished') continue;
    parts.push(event.data.result.llmContent);
    length += event.data.result.llmContent.length;
    if (length >= next) {
      parts.push(SECRET);
      next += EVERY;
    }
    if (length >= TEXT_LENGTH) break;
  }
  return Buffer.from(parts.join('')).toString().slice(0, TEXT_LENGTH);
}
