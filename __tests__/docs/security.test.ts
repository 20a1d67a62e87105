// docs/security.md says where each rule is shown: those tests must be there.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';

const rows = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| **'));

it.each(rows.map((row) => row.split('|').slice(1, -1)))('%s names tests that exist', (_rule, _done, shown = '') => {
  const places = [...shown.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place);
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) {
    const path = join(ROOT, '__tests__', place);
    const isBeside = globSync(join(ROOT, '__tests__', '**', place)).length > 0;
    expect({ place, isThere: existsSync(path) || isBeside }).toEqual({ place, isThere: true });
  }
});
