import fc from 'fast-check';
import { exportJson } from '../../lib/exporters/json.ts';

describe('a session as one JSON document', () => {
  it('is formatted like JSON.stringify with two spaces', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (session) => {
        const text = [...exportJson(session)].join('');
        expect(text).toBe(`${JSON.stringify(session, null, 2)}\n`);
      }),
    );
  });

  it('leaves out members that are undefined', () => {
    expect([...exportJson({ a: undefined, b: [] })].join('')).toBe('{\n  "b": []\n}\n');
  });
});
