import { readFileSync } from 'node:fs';
import { damageWords } from '../../../lib/page/model/damage-words.ts';

const place = { length: 20 };

describe('the words of a damaged place', () => {
  it('say for every kind whether an acknowledged event is missing', () => {
    const types = readFileSync(new URL('../../../lib/journal/types.ts', import.meta.url), 'utf8');
    const kinds = [.../type DamageKind =([^;]+);/.exec(types)![1]!.matchAll(/'([\w-]+)'/g)].map(([, kind]) => kind!);
    expect(kinds.length).toBeGreaterThan(10);
    for (const kind of kinds)
      expect(damageWords({ ...place, kind }).missing).toMatch(/missing|not in this file|cannot be read|acknowledged/);
  });

  it('never say that nothing is missing if an acknowledged line cannot be read', () => {
    for (const kind of ['bad-checksum', 'not-json', 'nul-run', 'oversize', 'bad-seal', 'gap', 'fork', 'welded'])
      expect(damageWords({ ...place, kind }).missing).not.toMatch(/^Nothing/);
    expect(damageWords({ ...place, kind: 'bad-checksum', seq: 7 }).missing).toBe(
      'Event 7, which was acknowledged, cannot be read.',
    );
  });

  it('promise nothing about files of foreign programs', () => {
    expect(damageWords({ ...place, kind: 'torn-tail' }, { isForeign: true }).missing).toContain('It is not known');
  });
});
