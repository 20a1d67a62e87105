import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { isInside, relativeInside, upwards } from '../../../lib/platform/files/inside.ts';

test.each([
  ['/a', '/a', ''],
  ['/a', '/a/b', 'b'],
  ['/a/', '/a/b/c.ts', 'b/c.ts'],
  ['/a', '/a/..b', '..b'],
  ['/', '/a', 'a'],
  ['/a', '/b/../a/c', 'c'],
  ['/a', '/ab', undefined],
  ['/a', '/', undefined],
  ['/a/b', '/a', undefined],
  ['/a', '/a/../b', undefined],
])('the path from %s to %s is %j', (directory, path, way) => {
  expect(relativeInside(directory, path)).toBe(way);
});

test('a path below a directory is inside exactly if no .. leads out, and its relative path leads there', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', '..', '.', '..a'), { maxLength: 6 })
    .map((parts) => `/${parts.join('/')}`);
  fc.assert(
    fc.property(path, path, (directory, other) => {
      const way = relativeInside(directory, other);
      const [outer, inner] = [resolve(directory), resolve(other)];
      expect(way !== undefined).toBe(`${inner}/`.startsWith(outer === '/' ? '/' : `${outer}/`));
      expect(isInside(outer, inner)).toBe(way !== undefined);
      if (way !== undefined) expect(join(outer, way)).toBe(inner);
    }),
    { numRuns: 500 },
  );
});

test('the path upwards ends at the root', () => {
  expect([...upwards('/a/b')]).toEqual(['/a/b', '/a', '/']);
  expect([...upwards('/')]).toEqual(['/']);
});
