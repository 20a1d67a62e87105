// Three panels on one axis of requests: tokens sent, what each cost, what went wrong. One line for where one points.
import type { RefObject } from 'preact';
import type { Course } from '../model/course.ts';
import { plural, tokens } from '../model/numbers.ts';
import { go, sessionLink } from '../router.ts';
import { Compactions, Lanes, Prices, Ticks, WindowCurve } from './cost-course-parts.tsx';
import { scaleOf } from './cost-course-scale.ts';
import { useWidth } from './cost-parts.tsx';
import './cost-parts.css';

interface Props {
  chart: RefObject<SVGSVGElement | null>;
  course: Course;
  /** Tokens that the model takes in. */
  limit: number | undefined;
  address: string;
  /** The request that is pointed at. */
  at: number | undefined;
  onAt: (index: number | undefined) => void;
}

export function CourseChart({ chart, course, limit, address, at, onAt }: Props) {
  const [box, width] = useWidth();
  const { requests, compactions } = course;
  const scale = scaleOf(course, { width, limit });
  const within = (index: number): number => Math.max(0, Math.min(requests.length - 1, index));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -requests.length, End: requests.length }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      onAt(within((at ?? (step > 0 ? -1 : requests.length)) + step));
    } else if (event.key === 'Enter' && at !== undefined) go(sessionLink(address, `#${requests[at]!.seq}`));
  };
  const indexAt = (event: MouseEvent): number => {
    const { left: edge, width: wide } = (event.currentTarget as Element).getBoundingClientRect();
    const share = (((event.clientX - edge) / wide) * width - scale.left) / (width - scale.left);
    return within(Math.floor(share * requests.length));
  };
  const fullest = Math.max(...requests.map(({ input }) => input));
  const compacted = compactions.length === 0 ? 'never compacted' : `compacted ${plural(compactions.length, 'time')}`;
  return (
    <div ref={box}>
      <svg
        ref={chart as RefObject<SVGSVGElement>}
        class="chart"
        viewBox={`0 0 ${width} ${scale.height}`}
        width={width}
        height={scale.height}
        role="img"
        aria-label={`Tokens sent with each of ${plural(requests.length, 'request')}, at most ${tokens(fullest)}; ${compacted}.`}
        // An attribute of SVG has its letters as they are written.
        tabindex={0}
        onKeyDown={onKeyDown}
        onMouseMove={(event) => onAt(indexAt(event))}
        onMouseLeave={() => onAt(undefined)}
        onClick={(event) => go(sessionLink(address, `#${requests[indexAt(event)]!.seq}`))}
      >
        <WindowCurve course={course} scale={scale} limit={limit} />
        <Prices course={course} scale={scale} />
        <Compactions course={course} scale={scale} />
        <Lanes course={course} scale={scale} />
        <Ticks course={course} scale={scale} />
        {at === undefined ? null : (
          <line x1={scale.x(at)} x2={scale.x(at)} y1={0} y2={scale.height - 24} stroke="var(--text-2)" />
        )}
      </svg>
    </div>
  );
}
