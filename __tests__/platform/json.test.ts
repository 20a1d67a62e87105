import * as fc from 'fast-check';
import { canonicalJson, isObject, parseJson, parseObject } from '../../lib/platform/json.ts';

test('valid JSON is parsed, and anything else is undefined', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
    ),
  );
  expect(['', '{', '{"a":1', 'undefined', '{}{}'].map(parseJson)).toEqual(Array(5).fill(undefined));
});

test('only a JSON object is an object', () => {
  expect([{}, { a: 1 }, Object.create(null)].every(isObject)).toBe(true);
  expect([null, undefined, [], 'text', 1, true, () => {}].some(isObject)).toBe(false);
  expect(parseObject('{"a":1}')).toEqual({ a: 1 });
  expect(['[]', 'null', '1', '"{}"', '{'].map(parseObject)).toEqual(Array(5).fill(undefined));
});

test('canonical JSON is equal for members in any order, at any depth, and differs for different values', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});
