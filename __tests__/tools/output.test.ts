import fc from 'fast-check';
import type { TokenCounter } from '../../lib/tokens/counter.ts';
import { counterFor } from '../../lib/tokens/counter-for.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { isText } from '../../lib/tools/kind-of-bytes.ts';
import { cutOutput, type OutputCutOptions } from '../../lib/tools/output.ts';
import { anyCharacter } from '../support/any-character.ts';

const cut = (content: string | Uint8Array, options: Partial<OutputCutOptions> = {}) =>
  cutOutput(content, { maxTokens: 100, counter: estimatingCounter, ...options });

const MARKER =
  /^(?<head>[\s\S]*?)\n?\[… (?<bytes>[\d,]+) bytes(?: \((?<lines>[\d,]+) lines?\))? are left out here(?<where>[^\]]*) …\]\n?(?<tail>[\s\S]*)$/;

function partsOf(llmContent: string) {
  const groups = MARKER.exec(llmContent)?.groups;
  if (!groups) throw new Error(`no marker in ${llmContent}`);
  return groups as { head: string; tail: string; bytes: string; lines?: string; where: string };
}

/** Counts each character as a token: much more than is estimated. */
const pessimist: TokenCounter = { count: (text) => ({ count: text.length, method: 'counted' }) };

describe('an output that fits', () => {
  test.each(['', 'a', 'one\ntwo\n', 'ümläut 日志 🎉', '\u001b[31mred\u001b[0m\u0007\r\n'])(
    '%j is returned unchanged',
    async (text) => {
      expect(await cut(text)).toEqual({
        llmContent: text,
        tokens: estimatingCounter.count(text),
        encoding: 'utf8',
        truncated: undefined,
      });
      expect((await cut(Buffer.from(text))).llmContent).toBe(text);
    },
  );

  test('is counted once', async () => {
    let counted = 0;
    const counter: TokenCounter = {
      count: (text) => {
        counted += text.length;
        return estimatingCounter.count(text);
      },
    };
    await cut('all there is\n', { counter });
    expect(counted).toBe('all there is\n'.length);
  });

  test('of which some was lost before reports that at its end', async () => {
    const { llmContent, truncated } = await cut('all there is\n', { omittedBytes: 123456 });
    expect(llmContent).toBe('all there is\n\n[… 123,456 more bytes were printed, and are kept nowhere …]');
    expect(truncated).toEqual({ originalBytes: 123469, keptBytes: 13 });
  });
});

describe('an output that is too long', () => {
  const log = Array.from({ length: 1000 }, (_, index) => `line ${index + 1} of the log\n`).join('');

  test('keeps its head and its tail in whole lines, and names the missing part and its place', async () => {
    const { llmContent, truncated } = await cut(log, { restLocation: 'blobs/3f2a' });
    const { head, tail, bytes, lines, where } = partsOf(llmContent);
    expect(`${head}\n`).toMatch(/^line 1 of the log\n(line \d+ of the log\n)*$/);
    expect(tail).toMatch(/^(line \d+ of the log\n)+$/);
    expect(tail).toMatch(/line 1000 of the log\n$/);
    expect(where).toBe('; the whole is in blobs/3f2a');
    expect(truncated?.originalBytes).toBe(log.length);
    expect(Number(bytes.replace(',', ''))).toBe(log.length - truncated!.keptBytes);
    const shown = `${head}\n${tail}`.split('\n').length - 1;
    expect(Number(lines)).toBe(1000 - shown);
  });

  test('is equal as text and as bytes', async () => {
    expect(await cut(log)).toEqual(await cut(Buffer.from(log)));
    const long = log.repeat(20);
    expect((await cut(long)).llmContent).toBe((await cut(Buffer.from(long))).llmContent);
  });

  test('without line ends is cut between characters', async () => {
    for (const character of ['a', 'é', '日', '🎉']) {
      const { llmContent } = await cut(character.repeat(5000));
      const { head, tail } = partsOf(llmContent);
      expect(head + tail).toMatch(new RegExp(`^(?:${character}){10,}$`, 'u'));
      expect((await cut(Buffer.from(character.repeat(5000)))).llmContent).not.toContain('\uFFFD');
    }
  });

  test('has at most the allowed tokens by a counter that finds many more than the estimate', async () => {
    const { llmContent, tokens } = await cut(log, { counter: pessimist, maxTokens: 400 });
    expect(tokens.count).toBe(llmContent.length);
    expect(llmContent.length).toBeLessThanOrEqual(400);
    expect(llmContent).toMatch(/^line 1 of the log\n/);
    expect(llmContent).toMatch(/line 1000 of the log\n$/);
  });

  test('may have room only for a marker, or for nothing', async () => {
    expect((await cut(log, { maxTokens: 12 })).llmContent).toMatch(/^\[… [\d,]+ bytes are left out here …\]$|\[cut\]/);
    expect((await cut(log, { maxTokens: 3, counter: pessimist })).llmContent).toBe('');
  });

  test('may begin and end with only blanks', async () => {
    const { llmContent } = await cut(`${' '.repeat(50_000)}x${'\n'.repeat(50_000)}`);
    expect(partsOf(llmContent).head.trim()).toBe('');
  });
});

/** Tokenizers take their time on text that no one writes, and more of it on a busy machine. */
const TOKENIZER_LIMIT_MS = 120_000;

describe('for any text and any limit', () => {
  const anyText = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3000, size: 'max' }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 500 }),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.string({ unit: anyCharacter, maxLength: 200 }), { maxLength: 60 })
        .map((lines) => lines.join('\n')),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('a', ' ', '\n', '日', '🎉', '0', 'ab1 '), fc.nat(5_000))
        .map(([unit, count]) => unit.repeat(count)),
    },
  );

  test.each<[string, () => Promise<TokenCounter>]>([
    ['the estimate', async () => estimatingCounter],
    ['a tokenizer', () => counterFor({ provider: 'openai', model: 'gpt-4o' })],
    ['one token a character', async () => pessimist],
  ])(
    'the result has at most the allowed tokens by %s, and consists of head and tail',
    async (_, load) => {
      const counter = await load();
      await fc.assert(
        fc.asyncProperty(anyText, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (text, maxTokens, asBytes) => {
          const content = asBytes ? Buffer.from(text) : text;
          const { llmContent, tokens, truncated } = await cutOutput(content, {
            maxTokens,
            counter,
            restLocation: 'blobs/1',
          });
          expect(counter.count(llmContent).count).toBeLessThanOrEqual(maxTokens);
          expect(tokens).toEqual(counter.count(llmContent));
          const original = asBytes ? Buffer.from(text).toString() : text;
          if (asBytes && !isText(content as Uint8Array)) return;
          if (!truncated) return expect(llmContent).toBe(original);
          expect(truncated.originalBytes).toBe(Buffer.byteLength(text));
          expect(truncated.keptBytes).toBeLessThan(truncated.originalBytes);
          if (truncated.keptBytes === 0) return;
          const kept = llmContent.split(
            /\n?\[… [\d,]+ bytes(?: \([\d,]+ lines?\))? are left out here; the whole is in blobs\/1 …\]\n?/,
          );
          expect(kept).toHaveLength(2);
          expect(original.startsWith(kept[0]!)).toBe(true);
          expect(original.endsWith(kept[1]!)).toBe(true);
        }),
        { numRuns: 100 },
      );
    },
    TOKENIZER_LIMIT_MS,
  );

  test('well-formed text stays well-formed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyCharacter, maxLength: 2000, size: 'max' }),
        fc.integer({ min: 20, max: 200 }),
        async (text, maxTokens) => {
          expect((await cut(text, { maxTokens })).llmContent.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('any bytes give a text within the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2000, size: 'max' }),
        fc.integer({ min: 1, max: 200 }),
        async (bytes, maxTokens) => {
          const { llmContent, encoding } = await cut(bytes, { maxTokens });
          expect(estimatingCounter.count(llmContent).count).toBeLessThanOrEqual(maxTokens);
          if (encoding === 'utf8' && llmContent.length > 0) expect(Buffer.from(bytes).includes(0xff)).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('bytes that are not text', () => {
  test('are replaced by a note with their kind, number and place', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(5000)]);
    const { llmContent, encoding, truncated } = await cut(png, { restLocation: 'blobs/77' });
    expect(llmContent).toMatch(
      /^\[Binary output, no text: 5,008 bytes, PNG image\. The whole is in blobs\/77\. It begins, in base64: iVBORw0KGgo[A-Za-z0-9+/=]*\]$/,
    );
    expect(encoding).toBe('base64');
    expect(truncated).toEqual({ originalBytes: 5008, keptBytes: 48 });
  });

  test('but almost, show invalid bytes as U+FFFD, and are marked as base64', async () => {
    const { llmContent, encoding } = await cut(Buffer.from('Köln am Rhein, Straße nach Süden\n', 'latin1'));
    expect(llmContent).toBe('K\uFFFDln am Rhein, Stra\uFFFDe nach S\uFFFDden\n');
    expect(encoding).toBe('base64');
  });
});

test('a large output leaves time for other work all the time', async () => {
  const log = `${'word '.repeat(20)}\n`.repeat(100_000);
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const { truncated } = await cut(log, {
    maxTokens: 8192,
    counter: await counterFor({ provider: 'openai', model: 'gpt-4o' }),
  });
  isOver = true;
  expect(truncated?.originalBytes).toBe(log.length);
  expect(turns).toBeGreaterThan(30);
});
