import fc from 'fast-check';
import { createJsonLineParser } from '../../../../lib/app/sessions/change/parse-json-line.ts';
import { anyCharacter } from '../../../support/any-character.ts';

describe('lines of NDJSON', () => {
  it('are parsed as JSON.parse does, one after the other', () => {
    const parse = createJsonLineParser();
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue())), (values) => {
        for (const value of values) expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(['null', ' null ', '[1]', '1', 'true', '"a"', '{"type":', '{"a":1} {"b":2}', '{"a":1}}', '{'])(
    'are refused one at a time, as %j, and the next line is read',
    (line) => {
      const parse = createJsonLineParser();
      expect(() => parse(line)).toThrow(expect.objectContaining({ code: 'EVENT_INVALID' }));
      expect(parse('{"a":1}')).toEqual({ a: 1 });
    },
  );

  it('are read by the thousand without a delay', () => {
    const parse = createJsonLineParser();
    for (let n = 0; n < 20_000; n += 1) expect(parse(`{"n":${n}}`)).toEqual({ n });
  });

  it('that are broken are quoted only with the message of JSON.parse', () => {
    const parse = createJsonLineParser();
    expect(() => parse(`{"a": "x" "${'secret'.repeat(20)}`)).not.toThrow(/secretsecretsecretsecretsecret/);
  });
});
