import { compareLink, entryOf, placeOf, sessionLink } from '../../../lib/page/model/place.ts';

const at = (path: string): URL => new URL(path, 'http://127.0.0.1:4100');

describe('a join link', () => {
  it.each([
    ['/join#Ab_-9', 'Ab_-9', '/'],
    ['/join#Ab_-9/s/oak', 'Ab_-9', '/s/oak'],
    ['/join#Ab_-9/s/claude%3A5f3c', 'Ab_-9', '/s/claude%3A5f3c'],
    ['/join?to=/cost%3Fdays=7#Ab_-9', 'Ab_-9', '/cost?days=7'],
    ['/join', '', '/'],
  ])('%s has its code, and leads to its place', (path, code, goesTo) => {
    expect(entryOf(at(path))).toEqual({ code, goesTo });
  });

  it.each([
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    'https://elsewhere.example/',
    'javascript:alert(1)',
    '/\t/x',
  ])('does not lead to a different server: %j', (to) => {
    const url = at(`/join?to=${encodeURIComponent(to)}#code`);
    expect(entryOf(url)).toEqual({ code: 'code', goesTo: '/' });
  });

  it('does not lead to a different server with any text after the code', () => {
    expect(entryOf(at('/join#code//elsewhere.example/'))).toEqual({ code: 'code', goesTo: '/' });
  });
});

describe('a place', () => {
  it('of a session of ollm has its id only, however a list names it', () => {
    expect([sessionLink('ollm:oak', '?tab=cost'), compareLink('ollm:oak', 'claude:5f3c')]).toEqual([
      '/s/oak?tab=cost',
      '/compare?a=oak&b=claude%3A5f3c',
    ]);
    expect(placeOf(at('/s/ollm%3Aoak'))).toMatchObject({ view: 'session', address: 'oak' });
    expect(placeOf(at('/compare?a=ollm%3Aoak'))).toMatchObject({ first: 'oak', second: undefined });
  });

  it.each(['oak', 'claude:5f3c', 'a/b?c#d', 'ضوء'])('is read from the link of a session: %s', (address) => {
    expect(placeOf(at(sessionLink(address)))).toMatchObject({ view: 'session', address });
  });

  it.each(['/s/%ZZ', '/s/%E0%A4%A', '/s/a/b', '/s/', '/elsewhere'])('is unknown for an invalid address: %s', (path) => {
    expect(placeOf(at(path))).toEqual({ view: 'nowhere' });
  });

  it('of the costs has no day that no calendar has', () => {
    const dayOf = (day: string) => placeOf(at(`/cost?day=${day}`));
    expect(dayOf('2026-11-29')).toMatchObject({ day: '2026-11-29' });
    for (const day of ['2026-99-99', '2026-11', 'x', '']) expect(dayOf(day)).toMatchObject({ day: undefined });
  });

  it('has no event for an invalid number', () => {
    expect(placeOf(at('/s/oak?at=-1#1e9'))).toMatchObject({ at: undefined, jump: undefined });
    expect(placeOf(at('/s/oak?at=12#409'))).toMatchObject({ at: 12, jump: 409 });
  });
});
