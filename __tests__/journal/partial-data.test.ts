import fc from 'fast-check';
import { toJson } from '../../lib/journal/line-buffer.ts';
import { dataWithoutText, longText } from '../../lib/journal/partial-data.ts';
import type { LongText } from '../../lib/journal/types.ts';

const OUTPUT = longText('result', '{"llmContent":"', '"}');
const LONG = 'a long text, '.repeat(100);

function partOf(data: object, text: LongText = OUTPUT): object | undefined {
  const around = ['{"seq":0,"data":', ',"prev":"0"}'] as const;
  const json = Buffer.from(toJson(data));
  const line = Buffer.concat([Buffer.from(around[0]), json, Buffer.from(around[1])]);
  return dataWithoutText(line, around[0].length, around[0].length + json.length, text);
}

describe('data without one long text', () => {
  it('is all of the data but the text', () => {
    const data = { callId: 'a', result: { llmContent: LONG }, tokens: { count: 1, method: 'counted' }, trusted: false };
    expect(partOf(data)).toEqual({ ...data, result: { llmContent: '' } });
  });

  it('is left to the whole reading where the text is short, absent, or the last of the data', () => {
    const tokens = { count: 1, method: 'counted' };
    expect(partOf({ result: { llmContent: 'short' }, tokens })).toBeUndefined();
    expect(partOf({ result: LONG, tokens })).toBeUndefined();
    expect(partOf({ tokens, result: { llmContent: LONG } })).toBeUndefined();
  });

  it('does not take what is quoted in the text for its end', () => {
    const quoted = `${LONG}"},"tokens":{"count":9},"x":{"y":"${LONG}\\"},`;
    const data = { result: { llmContent: quoted }, tokens: { count: 1, method: 'counted' } };
    expect(partOf(data) ?? { ...data, result: { llmContent: '' } }).toEqual({ ...data, result: { llmContent: '' } });
  });

  it('never adds or changes a member, whatever the data is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constantFrom(LONG, `${LONG}"},"`, `${LONG}\\`, `{"result":{"llmContent":"${LONG}"},"a":1}`, `${LONG},`),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.boolean(), tie('object')),
      object: fc.dictionary(fc.constantFrom('result', 'llmContent', 'tokens', 'a'), tie('any'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(value.object, (data) => {
        const part = partOf(data as object);
        if (part !== undefined) expect(isPartOf(part, data)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Whether `part` is `whole` with members left out, and with texts that are empty. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || typeof whole !== 'object') return part === whole || part === '';
  const members = whole as Record<string, unknown>;
  return Object.entries(part as object).every(([name, value]) => name in members && isPartOf(value, members[name]));
}
