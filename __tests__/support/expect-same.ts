// Means `expect(found).toEqual(expected)`, for loops: Jest compares only what differs, or is equal only to Jest.
import { isDeepStrictEqual } from 'node:util';

export function expectSame(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}
