// Where the chart of a session has what: x is the request and not the time, because pauses would take the width.
import type { Course } from '../model/course.ts';

export const WINDOW_HEIGHT = 220;
export const COST_HEIGHT = 80;
export const LANE = 20;
const GAP = 24;
const LEFT = 88;
const LEFT_NARROW = 40;
const NARROW = 600;

export interface CourseScale {
  readonly width: number;
  readonly height: number;
  /** Where the panels begin; left of it are their words. */
  readonly left: number;
  readonly isNarrow: boolean;
  /** Tokens at the upper edge. */
  readonly top: number;
  /** Upper edges of the second and the third panel. */
  readonly pricesTop: number;
  readonly lanesTop: number;
  readonly hasPrices: boolean;
  x(index: number): number;
  y(tokens: number): number;
}

export function scaleOf({ requests }: Course, { width, limit }: { width: number; limit: number | undefined }) {
  const isNarrow = width < NARROW;
  const left = isNarrow ? LEFT_NARROW : LEFT;
  const top = Math.max(limit ?? 0, ...requests.map(({ input }) => input), 1);
  const hasPrices = requests.some(({ cost }) => cost !== undefined);
  const pricesTop = WINDOW_HEIGHT + GAP;
  const lanesTop = (hasPrices ? pricesTop + COST_HEIGHT : WINDOW_HEIGHT) + 16;
  const scale: CourseScale = {
    width,
    left,
    isNarrow,
    top,
    hasPrices,
    pricesTop,
    lanesTop,
    height: lanesTop + 4 * LANE + GAP,
    x: (index) => left + ((width - left) * (index + 0.5)) / requests.length,
    y: (value) => WINDOW_HEIGHT - (WINDOW_HEIGHT - 8) * (value / top),
  };
  return scale;
}
