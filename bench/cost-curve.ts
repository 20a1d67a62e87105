// The picture of what a turn costs against the length of its session: a line with its quartiles as a band, on a logarithmic
// axis of lengths, and a dashed line at the goal. Readable on light and dark ground; no font, script or network of its own.
import type { Point, Row } from './measure.ts';

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 64;
const RIGHT = 24;
const TOP = 56;
const BOTTOM = 52;
/** How much dearer than at the first length a turn may be at the last. */
const GOAL = 1.2;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #59636e; }
  .grid { stroke: #d1d9e0; }
  .band { fill: #0969da; opacity: 0.16; }
  .line { stroke: #0969da; stroke-width: 2.5; fill: none; }
  .dot { fill: #0969da; }
  .goal { stroke: #bc4c00; stroke-dasharray: 6 4; }
  .goal-text { fill: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .band { fill: #4493f8; opacity: 0.22; }
    .line { stroke: #4493f8; }
    .dot { fill: #4493f8; }
    .goal { stroke: #f0883e; }
    .goal-text { fill: #f0883e; }
  }`;

/** An SVG of the points among the rows; undefined if there are fewer than two. */
export function costCurve(rows: readonly Row[]): string | undefined {
  const points = rows.filter((row) => row.kind === 'point');
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || first === last) return undefined;

  const top = niceAbove(Math.max(...points.map(({ high }) => high), first.y * GOAL));
  const x = (length: number) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(length / first.x)) / Math.log(last.x / first.x);
  const y = (milliseconds: number) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * milliseconds) / top;
  const at = (point: Point, value: number) => `${round(x(point.x))},${round(y(value))}`;

  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  const band = [
    ...points.map((point) => at(point, point.high)),
    ...points.toReversed().map((point) => at(point, point.low)),
  ];
  const times = last.y / first.y;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">What one turn costs: ${figure(first.y)} ms at ${count(first.x)} events, ${figure(last.y)} ms at ${count(last.x)}</title>
<style>${STYLE}
</style>
<text class="title" x="${LEFT}" y="24">What one turn costs, by the length of its session</text>
<text class="quiet" x="${LEFT}" y="43">median, the band is the quartiles; at ${count(last.x)} events ${figure(times)} times that at ${count(first.x)}</text>
${ticks.map((tick) => `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(tick))}" y2="${round(y(tick))}"/><text class="quiet" x="${LEFT - 8}" y="${round(y(tick) + 4)}" text-anchor="end">${figure(tick)}</text>`).join('\n')}
${points.map((point) => `<text class="quiet" x="${round(x(point.x))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="${point === last ? 'end' : 'middle'}">${count(point.x)}</text>`).join('\n')}
<text class="quiet" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">events in the session</text>
<text class="quiet" transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">milliseconds for a turn</text>
<line class="goal" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(first.y * GOAL))}" y2="${round(y(first.y * GOAL))}"/>
<text class="goal-text" x="${WIDTH - RIGHT}" y="${round(y(first.y * GOAL) - 6)}" text-anchor="end">${GOAL} times the first</text>
<polygon class="band" points="${band.join(' ')}"/>
<polyline class="line" points="${points.map((point) => at(point, point.y)).join(' ')}"/>
${points.map((point) => `<circle class="dot" cx="${round(x(point.x))}" cy="${round(y(point.y))}" r="4"/>`).join('\n')}
</svg>
`;
}

/** The next of 1, 2, 4, 5, 8 or 10 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value)!;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function count(value: number): string {
  return value.toLocaleString('en');
}
