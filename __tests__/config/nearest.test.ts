import fc from 'fast-check';
import { nearest } from '../../lib/config/nearest.ts';

const KNOWN = ['model', 'provider', 'services', 'services.session', 'services.session.maxSessions', 'log.level'];

describe('the suggestion for a mistyped name', () => {
  it.each([
    ['modle', 'model'],
    ['Model', 'model'],
    ['services.sesion', 'services.session'],
    ['services.session.maxSession', 'services.session.maxSessions'],
    ['level', 'log.level'],
  ])('%s is %s', (name, meant) => {
    expect(nearest(name, KNOWN)).toBe(meant);
  });

  it('is empty if no name is close', () => {
    expect(nearest('zebra', KNOWN)).toBeUndefined();
    expect(nearest('', KNOWN)).toBeUndefined();
  });

  it('is the name itself if that is known', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, selector: (s) => s.toLowerCase() }),
        (known) => {
          for (const name of known) expect(nearest(name, known)).toBe(name);
        },
      ),
    );
  });
});
