import fc from 'fast-check';
import { CREDENTIAL_PATTERNS, secretValuesOf } from '../../lib/environment/secret-values.ts';

const VALUE = 'long enough to be one';
const isSecret = (name: string) => secretValuesOf({ [name]: VALUE }).length === 1;

describe('the variables with a secret', () => {
  it('are those that match the patterns, with a star for anything, in any case', () => {
    const expression = new RegExp(`^(?:${CREDENTIAL_PATTERNS.join('|').replaceAll('*', '.*')})$`, 'is');
    const word = fc.constantFrom(...CREDENTIAL_PATTERNS.map((pattern) => pattern.replaceAll('*', '')));
    const around = fc.oneof(fc.constantFrom('', '_', 'MY', 'MY_'), fc.stringMatching(/^[A-Za-z0-9_]{0,4}$/));
    const name = fc.tuple(around, word, around, fc.boolean()).map(([before, middle, after, isLower]) => {
      const whole = before + middle + after;
      return isLower ? whole.toLowerCase() : whole;
    });
    fc.assert(
      fc.property(name, (each) => {
        expect(isSecret(each)).toBe(expression.test(each));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['GITHUB_TOKEN', true],
    ['token', true],
    ['MYSQLPASSWORD', true],
    ['SECRET_SAUCE', true],
    ['THE_SECRET_SAUCE', true],
    ['PATH', false],
    ['KEYBOARD_LAYOUT', false],
    ['SSH_AUTH_SOCK', false],
    ['SECRETARY', false],
  ])('%s: %s', (name, expected) => {
    expect(isSecret(name)).toBe(expected);
  });

  it('leave out values that are too short for a secret', () => {
    expect(secretValuesOf({ API_KEY: 'short', OTHER_KEY: undefined, THIRD_KEY: VALUE })).toEqual([VALUE]);
  });
});
