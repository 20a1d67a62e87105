import fc from 'fast-check';
import { createRedactor } from '../../lib/environment/redact.ts';
import { redactLong } from '../../lib/environment/redact-long.ts';

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const KEY_BODY = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ=='.repeat(1)}\n`.repeat(200);
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${KEY_BODY}-----END PRIVATE KEY-----\n`;
const SLICE = 256 * 1024;

const redactor = createRedactor({ secretValues: ['correct horse\nbattery staple'] });

describe('a long text that is redacted in pieces', () => {
  const fillers = fc.constantFrom(
    'an ordinary line of a log\n',
    'no line end ever ',
    'QUJDREVGR0hJSktMTU5PUFFSU1RVVldY',
  );
  const secrets = fc.constantFrom(TOKEN, PRIVATE_KEY, 'correct horse\nbattery staple', 'https://me:s3cr3tpass@host/');
  const places = fc.array(fc.record({ secret: secrets, at: fc.integer({ min: -3000, max: 3000 }), slice: fc.nat(3) }));

  it('equals the text redacted in one piece, with secrets at any place', async () => {
    await fc.assert(
      fc.asyncProperty(fillers, places, async (filler, list) => {
        let text = filler.repeat(Math.ceil((SLICE * 4) / filler.length));
        for (const { secret, at, slice } of list) {
          const place = Math.max(0, slice * SLICE + at);
          text = `${text.slice(0, place)} ${secret} ${text.slice(place)}`;
        }
        const whole = redactor.redact(text);
        const long = await redactLong(redactor, text);
        expect(long.text === whole.text).toBe(true);
        const kinds = (found: typeof whole.found) => found.map(({ kind, count }) => `${kind} ${count}`).sort();
        expect(kinds(long.found)).toEqual(kinds(whole.found));
      }),
      { numRuns: 100 },
    );
  });

  it('leaves time for other work between them', async () => {
    let turns = 0;
    let isGoing = true;
    const beat = () => {
      turns += 1;
      if (isGoing) setImmediate(beat);
    };
    setImmediate(beat);
    await redactLong(redactor, 'word '.repeat(1024 * 1024));
    isGoing = false;
    expect(turns).toBeGreaterThan(10);
  });
});
