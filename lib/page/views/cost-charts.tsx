// What a session cost, request by request: its figures, what explains them, the chart, and where the tokens went.
import { useMemo, useRef, useState } from 'preact/hooks';
import type { SentCostOfSession } from '../api/types.ts';
import { courseOf } from '../model/course.ts';
import { findingsOf } from '../model/findings.ts';
import { count, momentOf, money, tokens } from '../model/numbers.ts';
import { State } from '../parts/state.tsx';
import { CourseChart } from './cost-course-chart.tsx';
import { CostFigures } from './cost-figures.tsx';
import { AsTable, Hatches } from './cost-parts.tsx';
import { WhereItWent } from './cost-where.tsx';
import './cost-parts.css';

export function CostCharts({ cost, address }: { cost: SentCostOfSession; address: string }) {
  const [at, setAt] = useState<number>();
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
  /** Shows the first of them, then with each call the next. */
  const show = (indexes: readonly number[]): void => {
    setAt(indexes.find((index) => index > (at ?? -1)) ?? indexes[0]);
    chart.current?.focus();
  };
  const shown = at === undefined ? undefined : requests[at];
  const now = new Date();
  return (
    <>
      <Hatches />
      <CostFigures cost={cost} course={course} />
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
      <p class="meta chart-says" aria-live="polite">
        {shown === undefined
          ? 'Point at a request, or use the arrow keys; Enter goes to it.'
          : `${momentOf(new Date(shown.ts ?? ''), now)}, request ${count(at! + 1)}, ${tokens(shown.input)} tokens, ${money(shown.cost)}${course.cold.includes(at!) ? ', cold cache' : ''}`}
      </p>
      <CourseChart chart={chart} course={course} limit={cost.window} address={address} at={at} onAt={setAt} />
      <AsTable
        heads={['Request', 'Time', 'Event', 'Input', 'From cache', 'Output', 'Cost']}
        rows={requests.map((request, index) => [
          count(index + 1),
          momentOf(new Date(request.ts ?? ''), now),
          String(request.seq),
          count(request.input),
          count(request.cached),
          count(request.output),
          money(request.cost),
        ])}
      />
      <WhereItWent requests={requests} />
    </>
  );
}
