import fc from 'fast-check';
import { valueAt, withValue } from '../../lib/config/keys.ts';

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const key = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('.'));
const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.string()));
const settings = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value)));

describe('a key of a setting', () => {
  it('leads to the value stored under it, and changes nothing else', () => {
    fc.assert(
      fc.property(settings, key, value, (group, at, put) => {
        const before = structuredClone(group);
        const after = withValue(group, at, put);
        expect(valueAt(after, at)).toEqual(put);
        expect(group).toEqual(before);
        const [first] = at.split('.');
        for (const other of Object.keys(group)) if (other !== first) expect(after[other]).toBe(group[other]);
      }),
    );
  });

  it('without a value creates the groups on the way', () => {
    expect(withValue({}, 'services.session.maxAge', undefined)).toEqual({ services: { session: {} } });
    expect(withValue({ services: { log: 1 } }, 'services.log', undefined)).toEqual({ services: {} });
  });

  it('leads to nothing if a group is missing, or a value is in its place', () => {
    expect(valueAt({ services: 5 }, 'services.session.maxAge')).toBeUndefined();
    expect(valueAt({ services: null }, 'services.session')).toBeUndefined();
    expect(valueAt({}, 'constructor.name')).toBeUndefined();
    expect(valueAt({ 'my.server': 1 }, ['my.server'])).toBe(1);
  });
});
