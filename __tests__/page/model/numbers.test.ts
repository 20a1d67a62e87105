import { bytes, count, duration, momentOf, money, plural, shortTime, tokens } from '../../../lib/page/model/numbers.ts';

describe('numbers on the page', () => {
  it.each([
    [999, '999'],
    [1900, '1.9k'],
    [9949, '9.9k'],
    [63_000, '63k'],
    [999_499, '999k'],
    [1_600_000, '1.6 M'],
  ])('show %d tokens as %s', (value, said) => expect(tokens(value)).toBe(said));

  it.each([
    [undefined, 'no price'],
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.0042, '$0.0042'],
    [23.876, '$23.88'],
    [1234.5, '$1,234.50'],
  ])('show %p dollars as %s', (value, said) => expect(money(value)).toBe(said));

  it.each([
    [120, '120 ms'],
    [4100, '4.1 s'],
    [91_000, '1 min 31 s'],
    [3 * 3_600_000 + 30 * 60_000, '3 h 30 min'],
  ])('show %d ms as %s', (value, said) => expect(duration(value)).toBe(said));

  it('show sizes and counts', () => {
    expect([bytes(41), bytes(2900), bytes(18_000_000)]).toEqual(['41 B', '2.9 kB', '18 MB']);
    expect([count(1842), plural(1, 'event'), plural(2000, 'event')]).toEqual(['1,842', '1 event', '2,000 events']);
  });

  it('show only the time for today, the day for this year, and otherwise the year', () => {
    const now = new Date(2026, 10, 23, 16, 0);
    expect(shortTime(new Date(2026, 10, 23, 15, 58), now)).toBe('15:58');
    expect(shortTime(new Date(2026, 0, 23, 15, 58), now)).toBe('23 Jan');
    expect(shortTime(new Date(2025, 11, 28, 3, 58), now)).toBe('28 Dec 2025');
  });

  it('show the time on every day', () => {
    const now = new Date(2026, 10, 23, 16, 0);
    expect(momentOf(new Date(2026, 10, 23, 15, 58), now)).toBe('15:58');
    expect(momentOf(new Date(2026, 10, 21, 10, 0), now)).toBe('21 Nov 10:00');
    expect(momentOf(new Date(2025, 11, 28, 3, 58), now)).toBe('28 Dec 2025 03:58');
    expect(momentOf(new Date('<b>'), now)).toBe('');
  });
});

it('no text is shown for a value that is not a time', () => {
  expect(shortTime(new Date('<b>'), new Date())).toBe('');
});
