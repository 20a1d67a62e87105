import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdit } from './bug.ts';
import { BUGS } from './bugs/index.ts';
import { Copy, ROOT } from './prove.ts';

/** Each is found within a second or two; `npm run lab -- --prove` shows the rest. */
const QUICK = ['acknowledge-before-sync', 'no-directory-sync', 'append-behind-a-torn-tail', 'drop-unknown-types'];

describe('the seeded bugs', () => {
  it('are at least fourteen, each under a name of its own', () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
    expect(BUGS.length).toBeGreaterThanOrEqual(14);
  });

  it.each(BUGS)('can still be planted: $name', ({ edits }) => {
    for (const edit of edits) {
      const text = readFileSync(join(ROOT, edit.file), 'utf8');
      expect(applyEdit(text, edit)).not.toBe(text);
    }
  });

  it('refuse a place that is missing or ambiguous', () => {
    const edit = { file: 'a.ts', find: 'first', replace: 'two' };
    expect(() => applyEdit('nothing of it', edit)).toThrow('0 places');
    expect(() => applyEdit('first and first', edit)).toThrow('2 places');
  });
});

describe('the lab', () => {
  it('fails on a planted bug, and names the broken promise', async () => {
    const copy = new Copy();
    try {
      for (const bug of BUGS.filter(({ name }) => QUICK.includes(name))) {
        const proof = await copy.prove(bug, { seed: 1, budgetMs: 60_000 });
        expect(proof).toMatchObject({ bug: bug.name, found: true });
        expect(proof.by).toMatch(/^(loss|undetected damage|false alarm|broken promise): /);
      }
    } finally {
      copy.remove();
    }
  });
});
