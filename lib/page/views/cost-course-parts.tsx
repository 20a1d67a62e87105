// The panels of the chart of a session.
import type { Course } from '../model/course.ts';
import { decimate } from '../model/decimate.ts';
import { momentOf, money, tokens } from '../model/numbers.ts';
import { COST_HEIGHT, type CourseScale, LANE, WINDOW_HEIGHT } from './cost-course-scale.ts';

interface Props {
  course: Course;
  scale: CourseScale;
}

const WIDEST_BAR = 24;
/** Where older events become a summary, unless the settings say another share of the window. */
const COMPACTS_AT = 0.8;

export function WindowCurve({ course: { requests }, scale, limit }: Props & { limit: number | undefined }) {
  const { x, y, top, left, width } = scale;
  const points = decimate(
    requests.map(({ input }) => input),
    width - left,
  );
  const line = points.map(({ index, value }) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <g>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line x1={left} x2={width} y1={y(top * share)} y2={y(top * share)} stroke="var(--line)" />
          <text x={left - 8} y={y(top * share) + 4} text-anchor="end">
            {tokens(Math.round(top * share))}
          </text>
        </g>
      ))}
      <polygon
        points={`${x(points[0]!.index)},${WINDOW_HEIGHT} ${line} ${x(points.at(-1)!.index)},${WINDOW_HEIGHT}`}
        fill="var(--accent)"
        fill-opacity="0.13"
      />
      <polyline points={line} fill="none" stroke="var(--accent)" stroke-width="2" />
      {/* A curve of one point has no length. */}
      {points.length <= 40
        ? points.map(({ index, value }) => (
            <circle key={index} cx={x(index)} cy={y(value)} r="3" fill="var(--accent)" />
          ))
        : null}
      {limit === undefined ? null : (
        <g>
          <line
            x1={left}
            x2={width}
            y1={y(limit * COMPACTS_AT)}
            y2={y(limit * COMPACTS_AT)}
            stroke="var(--warn)"
            stroke-dasharray="4 4"
          />
          <text x={width} y={y(limit * COMPACTS_AT) - 5} text-anchor="end">
            compaction
          </text>
        </g>
      )}
    </g>
  );
}

/** What each request cost; a hatched foot has no price. */
export function Prices({ course: { requests, cold }, scale: { x, left, width, pricesTop, hasPrices } }: Props) {
  if (!hasPrices) return null;
  const prices = requests.map(({ cost }) => cost ?? 0);
  const dearest = Math.max(...prices, 0.000001);
  const wide = Math.max(1, Math.min(WIDEST_BAR, (0.6 * (width - left)) / requests.length));
  return (
    <g>
      <text x={left - 8} y={pricesTop + 8} text-anchor="end">
        {money(dearest)}
      </text>
      <line x1={left} x2={width} y1={pricesTop + COST_HEIGHT} y2={pricesTop + COST_HEIGHT} stroke="var(--line)" />
      {decimate(prices, width - left).map(({ index, value }) => {
        const isKnown = requests[index]!.cost !== undefined;
        const isCold = cold.includes(index);
        const height = isKnown ? COST_HEIGHT * (value / dearest) : 6;
        return (
          <rect
            key={index}
            x={x(index) - wide / 2}
            width={wide}
            y={pricesTop + COST_HEIGHT - height}
            height={height}
            fill={isKnown ? (isCold ? 'var(--c2)' : 'var(--text-3)') : 'url(#hatched)'}
            fill-opacity={isCold || !isKnown ? 1 : 0.7}
          />
        );
      })}
    </g>
  );
}

export function Compactions({ course, scale: { x, height } }: Props) {
  return course.compactions.map(({ seq, request, saved }) => (
    <g key={seq}>
      <line
        x1={x(request)}
        x2={x(request)}
        y1={0}
        y2={height - 24}
        stroke="var(--line-strong)"
        stroke-dasharray="1 3"
      />
      <text x={x(request) + 4} y={12}>
        −{tokens(saved)}
      </text>
    </g>
  ));
}

export function Lanes({ course, scale: { x, left, width, isNarrow, lanesTop } }: Props) {
  const lanes = [
    ['Cold cache', course.cold],
    ['Failed call', course.failed],
    ['Stopped', course.stopped],
    ['Loop', course.loops],
  ] as const;
  return lanes.map(([name, indexes], lane) => {
    const middle = lanesTop + lane * LANE + LANE / 2;
    return (
      <g key={name}>
        <text x={0} y={middle + 4}>
          {isNarrow ? name.split(' ')[0] : name}
        </text>
        <line x1={left} x2={width} y1={middle} y2={middle} stroke="var(--line)" />
        {indexes.map((index, each) => (
          <Mark key={each} name={name} x={x(index)} y={middle} />
        ))}
      </g>
    );
  });
}

function Mark({ name, x, y }: { name: string; x: number; y: number }) {
  if (name === 'Cold cache') return <path d={`M${x} ${y - 4}l4 7h-8Z`} fill="var(--c2)" />;
  if (name === 'Failed call')
    return <path d={`M${x - 3} ${y - 3}l6 6M${x + 3} ${y - 3}l-6 6`} stroke="var(--danger)" stroke-width="1.8" />;
  if (name === 'Stopped') return <rect x={x - 3} y={y - 3} width="6" height="6" fill="var(--text-2)" />;
  return <circle cx={x} cy={y} r="3.5" fill="none" stroke="var(--c4)" stroke-width="2" />;
}

/** When the first, the middle and the last request were. */
export function Ticks({ course: { requests }, scale: { x, height } }: Props) {
  if (requests.length < 2) return null;
  const said = [0, Math.floor(requests.length / 2), requests.length - 1];
  return said.map((index, each) => (
    <text key={each} x={x(index)} y={height - 6} text-anchor={each === 0 ? 'start' : each === 1 ? 'middle' : 'end'}>
      {momentOf(new Date(requests[index]!.ts ?? ''), new Date())}
    </text>
  ));
}
