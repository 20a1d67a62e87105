import fc from 'fast-check';
import { exportJson } from '../../lib/exporters/json.ts';
import { joined } from './items.ts';

describe('a session as one JSON document', () => {
  it('is written as JSON.stringify with two spaces would', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (session) => {
        const text = await joined(exportJson(session));
        expect(text).toBe(`${JSON.stringify(session, null, 2)}\n`);
      }),
    );
  });

  it('leaves out members that are undefined', async () => {
    expect(await joined(exportJson({ a: undefined, b: [] }))).toBe('{\n  "b": []\n}\n');
  });
});
