import fc from 'fast-check';
import { idInAddress } from '../../lib/agents/address.ts';
import { MOST_FOLLOWED_SESSIONS } from '../../lib/api/events.ts';
import { isAddress, placesIn, textOf } from '../../lib/server/event-places.ts';

const ids = fc
  .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }))
  .map((own) => `kimi:${idInAddress(own)}`);
const place = fc.stringMatching(/^[A-Za-z0-9.-]{1,64}$/);

it('the places of several sessions are read as they were sent, and fit into a header with all others', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(ids, place), { maxLength: MOST_FOLLOWED_SESSIONS, selector: ([id]) => id }),
      (pairs) => {
        const places = new Map([['walk', '41'], ...pairs]);
        const text = textOf(places);
        expect(placesIn(text, [...places.keys()])).toEqual(places);
        expect(text.length).toBeLessThan(5_000);
        expect([...places.keys()].join(',').split(',').every(isAddress)).toBe(true);
      },
    ),
  );
});

it('the place of another session is left out, and so is one of another form', () => {
  const text = `${'a'.repeat(65)}=1,claude%3A%01=1,walk=,walk,=1,%=1,elm=2,oak=41,__proto__=1`;
  expect(placesIn(text, ['walk', 'oak'])).toEqual(new Map([['oak', '41']]));
});
