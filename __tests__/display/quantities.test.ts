import {
  countOf,
  formatBytes,
  formatCost,
  formatDuration,
  formatTime,
  shortCount,
} from '../../lib/display/quantities.ts';

describe('formatted quantities', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1500, '1.5 kB'],
    [999_600, '1.0 MB'],
    [16 * 1024 * 1024, '17 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [12, '12 ms'],
    [1234, '1.2 s'],
    [61_000, '1 min 1 s'],
    [3_720_000, '1 h 2 min'],
  ])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('have separators and plurals in counts', () => {
    expect(countOf(1, 'line')).toBe('1 line');
    expect(countOf(1234567, 'line')).toBe('1,234,567 lines');
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1250, '1.3k'],
    [99_960, '100k'],
    [131_072, '131k'],
    [999_600, '1M'],
    [1_048_576, '1M'],
  ])('shorten %d to %s', (count, text) => expect(shortCount(count)).toBe(text));

  it.each([
    [0.0042, '$0.0042'],
    [1.2, '$1.20'],
  ])('%d dollars are %s', (dollars, text) => expect(formatCost(dollars)).toBe(text));

  it('have times in UTC, and leave an invalid time unchanged', () => {
    expect(formatTime('2026-11-21T20:49:00.123Z')).toBe('2026-11-21 20:49:00 UTC');
    expect(formatTime('noon')).toBe('noon');
  });
});
