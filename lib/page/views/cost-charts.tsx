// The window over the requests of a session, what each cost, and what went wrong, on one axis.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CostOfSession } from '../api/types.ts';
import { type CourseRequest, courseOf } from '../model/course.ts';
import { decimate } from '../model/decimate.ts';
import { findingsOf } from '../model/findings.ts';
import { count, momentOf, money, plural, tokens } from '../model/numbers.ts';
import { State } from '../parts/state.tsx';
import { go, sessionLink } from '../router.ts';

const WINDOW_HEIGHT = 220;
const COST_HEIGHT = 80;
const LANE = 20;
const LEFT = 88;
export function CostCharts({ cost, address }: { cost: CostOfSession; address: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  const [at, setAt] = useState<number>();
  useLayoutEffect(() => {
    const measure = (): void => setWidth(Math.max(280, Math.min(1120, Math.floor(box.current?.clientWidth ?? 900))));
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const course = useMemo(() => courseOf(cost), [cost]);
  const findings = useMemo(() => findingsOf(course), [course]);
  const chart = useRef<SVGSVGElement>(null);
  const { requests } = course;
  if (requests.length === 0)
    return (
      <State icon="cost" title="No figures yet">
        No request of this session said how many tokens it took.
      </State>
    );

  const left = width < 600 ? 40 : LEFT;
  const x = (index: number) => left + ((width - left) * (index + 0.5)) / requests.length;
  const top = Math.max(cost.window ?? 0, ...requests.map(({ input }) => input), 1);
  const y = (value: number) => WINDOW_HEIGHT - (WINDOW_HEIGHT - 8) * (value / top);
  const points = decimate(
    requests.map(({ input }) => input),
    width - left,
  );
  const line = points.map(({ index, value }) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const prices = requests.map((request) => request.cost ?? 0);
  const dearest = Math.max(...prices, 0.000001);
  const hasPrice = requests.some((request) => request.cost !== undefined);
  const lanesTop = WINDOW_HEIGHT + (hasPrice ? COST_HEIGHT + 24 : 0) + 16;
  const lanes = [
    ['Cold cache', course.cold],
    ['Failed call', course.failed],
    ['Stopped', course.stopped],
    ['Loop', course.loops],
  ] as const;
  const isCold = (index: number) => course.cold.includes(index);
  const height = lanesTop + lanes.length * LANE + 24;
  const shown = at === undefined ? undefined : requests[at];
  const sum = (pick: (request: CourseRequest) => number) => requests.reduce((all, each) => all + pick(each), 0);
  const [input, cached, written, output] = [
    sum((r) => r.input),
    sum((r) => r.cached),
    sum((r) => r.written),
    sum((r) => r.output),
  ];
  const most = Math.max(cached, written, output, input - cached - written, 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -requests.length, End: requests.length }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(requests.length - 1, (at ?? (step > 0 ? -1 : requests.length)) + step)));
    } else if (event.key === 'Enter' && shown) go(sessionLink(address, `#${shown.seq}`));
  };
  const indexAt = (event: MouseEvent): number => {
    const { left: edge, width: wide } = (event.currentTarget as Element).getBoundingClientRect();
    const share = (((event.clientX - edge) / wide) * width - left) / (width - left);
    return Math.max(0, Math.min(requests.length - 1, Math.floor(share * requests.length)));
  };
  /** The first of them, and behind the last one that was shown the next. */
  const show = (indexes: readonly number[]): void => {
    setAt(indexes.find((index) => index > (at ?? -1)) ?? indexes[0]);
    chart.current?.focus();
  };
  const summary = `Tokens sent with each of ${plural(requests.length, 'request')}, at most ${tokens(Math.max(...requests.map((r) => r.input)))}; compacted ${plural(course.compactions.length, 'time')}.`;

  return (
    <div ref={box}>
      <div class="figures">
        <div>
          <span class="meta">This session</span>
          <b>{money(cost.total.cost)}</b>
          <span class="meta">{plural(requests.length, 'request')}</span>
        </div>
        <div>
          <span class="meta">From cache</span>
          <b>{input === 0 ? '0' : ((100 * cached) / input).toFixed(1)} %</b>
          <span class="meta">of {tokens(input)} input tokens</span>
        </div>
        <div>
          <span class="meta">Fullest</span>
          <b>{tokens(Math.max(...requests.map((request) => request.input)))}</b>
          <span class="meta">
            {cost.window === undefined ? '' : `of ${tokens(cost.window)}, `}compacted{' '}
            {plural(course.compactions.length, 'time')}
          </span>
        </div>
        <div>
          <span class="meta">Failed calls</span>
          <b>{count(course.failed.length)}</b>
          <span class="meta">{plural(course.loops.length, 'loop')}</span>
        </div>
      </div>
      {findings.map((finding) => (
        <div key={finding.title} class="finding">
          <p>
            <b>{finding.title}</b> {finding.text}
          </p>
          <button type="button" class="button" onClick={() => show(finding.requests)}>
            Show {finding.requests.length === 1 ? 'it' : 'them'}
          </button>
        </div>
      ))}
      <h2 class="section-title">
        Window <span class="meta">tokens sent with each request</span>
      </h2>
      <p class="meta" aria-live="polite">
        {shown === undefined
          ? 'Point at a request, or use the arrow keys; Enter goes to it.'
          : `${momentOf(new Date(shown.ts), new Date())}, request ${count(at! + 1)}, ${tokens(shown.input)} tokens, ${money(shown.cost)}${isCold(at!) ? ', cold cache' : ''}`}
      </p>
      <svg
        ref={chart}
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={summary}
        // An attribute of SVG has its letters as they are written.
        tabindex={0}
        onKeyDown={onKeyDown}
        onMouseMove={(event) => setAt(indexAt(event))}
        onMouseLeave={() => setAt(undefined)}
        onClick={(event) => go(sessionLink(address, `#${requests[indexAt(event)]!.seq}`))}
      >
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
        {course.compactions.map(({ seq, request, saved }) => (
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
        ))}
        {hasPrice ? (
          <g>
            <text x={left - 8} y={WINDOW_HEIGHT + 24 + 8} text-anchor="end">
              {money(dearest)}
            </text>
            {decimate(prices, width - left).map(({ index, value }) => (
              <rect
                key={index}
                x={x(index) - 1}
                width={Math.max(1, Math.min(4, (width - left) / requests.length - 1))}
                y={WINDOW_HEIGHT + 24 + COST_HEIGHT * (1 - value / dearest)}
                height={COST_HEIGHT * (value / dearest)}
                fill={isCold(index) ? 'var(--c2)' : 'var(--text-3)'}
                fill-opacity={isCold(index) ? 1 : 0.7}
              />
            ))}
          </g>
        ) : null}
        {lanes.map(([name, indexes], lane) => {
          const middle = lanesTop + lane * LANE + LANE / 2;
          return (
            <g key={name}>
              <text x={0} y={middle + 4}>
                {width < 600 ? name.split(' ')[0] : name}
              </text>
              <line x1={left} x2={width} y1={middle} y2={middle} stroke="var(--line)" />
              {indexes.map((index, each) => (
                <Mark key={each} name={name} x={x(index)} y={middle} />
              ))}
            </g>
          );
        })}
        {requests.length > 1
          ? [0, Math.floor(requests.length / 2), requests.length - 1].map((index, each) => (
              <text
                key={index}
                x={x(index)}
                y={height - 6}
                text-anchor={each === 0 ? 'start' : each === 1 ? 'middle' : 'end'}
              >
                {momentOf(new Date(requests[index]!.ts), new Date())}
              </text>
            ))
          : null}
        {at === undefined ? null : <line x1={x(at)} x2={x(at)} y1={0} y2={height - 24} stroke="var(--text-2)" />}
      </svg>
      <h2 class="section-title">Where it went</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th>Tokens</th>
            <th>Share</th>
            <th>Count</th>
          </tr>
        </thead>
        <tbody>
          {(
            [
              ['From cache', cached, 'var(--c1)'],
              ['Written to cache', written, 'var(--c2)'],
              ['Other input', input - cached - written, 'var(--c5)'],
              ['Output', output, 'var(--c3)'],
            ] as const
          ).map(([name, value, colour]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                <svg width="240" height="8" viewBox="0 0 240 8" aria-hidden="true">
                  <rect width={Math.max(0, (240 * value) / most)} height="8" rx="2" fill={colour} />
                </svg>
              </td>
              <td>{tokens(Math.max(0, value))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Mark({ name, x, y }: { name: string; x: number; y: number }) {
  if (name === 'Cold cache') return <path d={`M${x} ${y - 4}l4 7h-8Z`} fill="var(--c2)" />;
  if (name === 'Failed call')
    return <path d={`M${x - 3} ${y - 3}l6 6M${x + 3} ${y - 3}l-6 6`} stroke="var(--danger)" stroke-width="1.8" />;
  if (name === 'Stopped') return <rect x={x - 3} y={y - 3} width="6" height="6" fill="var(--text-2)" />;
  return <circle cx={x} cy={y} r="3.5" fill="none" stroke="var(--c4)" stroke-width="2" />;
}
