import { placesIn, textOf } from '../../lib/server/event-places.ts';

it('the places of several sessions are read as they were sent, whatever ids a route takes', () => {
  const ids = ['walk', "claude:a_talk:50%(or,so)=!'ä", `kimi:${'ä'.repeat(300)}`, `kimi:${'語'.repeat(300)}`];
  const places = new Map(ids.map((id, index) => [id, `1a2b3c4d-0.${index}`]));
  expect(placesIn(textOf(places))).toEqual(places);
});

it('a place of a session that no route takes is left out, and so is one of another form', () => {
  expect(placesIn(`${'a'.repeat(65)}=1,claude%3A%01=1,walk=,walk,=1,%=1,oak=41`)).toEqual(new Map([['oak', '41']]));
});
