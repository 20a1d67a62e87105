import { costCurve } from '../../bench/cost-curve.ts';
import type { Point } from '../../bench/measure.ts';

function point(x: number, y: number): Point {
  return { kind: 'point', of: 'turn cost', x, y, low: y * 0.9, high: y * 1.1 };
}

const POINTS = [point(100, 30), point(1_000, 27), point(10_000, 25), point(1_000_000, 24)];

/** Of each dot, from left to right. */
function dotsOf(picture: string): { readonly x: number; readonly y: number }[] {
  const dots = picture.matchAll(/<circle class="dot" cx="([\d.]+)" cy="([\d.]+)"/g);
  return [...dots].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

describe('the picture of what a turn costs', () => {
  it('needs two points', () => {
    expect(costCurve([])).toBeUndefined();
    expect(costCurve(POINTS.slice(0, 1))).toBeUndefined();
  });

  it('has a dot for each length, ten times as long always as far to the right, and less lower down', () => {
    const dots = dotsOf(costCurve(POINTS)!);
    expect(dots).toHaveLength(4);
    const [first, second, third, last] = dots.map(({ x }) => x) as [number, number, number, number];
    expect(second - first).toBeCloseTo(third - second, 0);
    expect(last - third).toBeCloseTo(2 * (third - second), 0);
    const heights = dots.map(({ y }) => y);
    expect(heights).toEqual(heights.toSorted((one, other) => one - other));
  });

  it('has a band from quartile to quartile, around the dots', () => {
    const picture = costCurve(POINTS)!;
    const [, corners] = /<polygon class="band" points="([^"]+)"/.exec(picture)!;
    const at = corners!.split(' ').map((corner) => corner.split(',').map(Number) as [number, number]);
    dotsOf(picture).forEach(({ x, y }, index) => {
      const [high, low] = [at[index]!, at.at(-1 - index)!];
      expect([high[0], low[0]]).toEqual([x, x]);
      expect(high[1]).toBeLessThan(y);
      expect(low[1]).toBeGreaterThan(y);
    });
  });

  it('says what the band and the axes are, and how the ends compare', () => {
    const picture = costCurve(POINTS)!;
    expect(picture).toContain('the band is the quartiles');
    expect(picture).toContain('>milliseconds for a turn<');
    expect(picture).toContain('>events in the session<');
    expect(picture).toContain('at 1,000,000 events 0.8 times that at 100');
  });

  it('has the goal as a line at 1.2 times the first', () => {
    const picture = costCurve([point(100, 10), point(1_000, 12)])!;
    const [, goal] = /<line class="goal" x1="[\d.]+" x2="[\d.]+" y1="([\d.]+)"/.exec(picture)!;
    expect(Number(goal)).toBe(dotsOf(picture)[1]!.y);
  });
});
