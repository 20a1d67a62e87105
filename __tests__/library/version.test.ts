import { readFileSync } from 'node:fs';
import { VERSION } from '../../lib/version.ts';

it('the version in journals is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});
