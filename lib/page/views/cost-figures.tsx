// The figures of a session in four boxes.
import type { SentCostOfSession } from '../api/types.ts';
import type { Course } from '../model/course.ts';
import { count, money, plural, tokens } from '../model/numbers.ts';
import './cost-parts.css';

export function CostFigures({ cost: { total, window: limit }, course }: { cost: SentCostOfSession; course: Course }) {
  const { requests, compactions, failed, loops } = course;
  const input = requests.reduce((sum, request) => sum + request.input, 0);
  const output = requests.reduce((sum, request) => sum + request.output, 0);
  const cached = requests.reduce((sum, request) => sum + request.cached, 0);
  const without = total.withoutPrice === 0 || total.withoutPrice === total.requests ? 0 : total.withoutPrice;
  return (
    <div class="figures">
      <div>
        <span class="meta">This session</span>
        <b>{total.cost === undefined ? `${tokens(input + output)} tokens` : money(total.cost)}</b>
        <span class="meta">
          {plural(requests.length, 'request')}
          {total.cost === undefined ? ', no price is known' : ''}
          {without === 0 ? '' : `, ${count(without)} without a price left out`}
        </span>
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
          {[
            limit === undefined ? 'tokens' : `of ${tokens(limit)} tokens`,
            ...(compactions.length === 0 ? [] : [`compacted ${plural(compactions.length, 'time')}`]),
          ].join(', ')}
        </span>
      </div>
      <div>
        <span class="meta">Failed calls</span>
        <b>{count(failed.length)}</b>
        <span class="meta">{loops.length === 0 ? '' : `and ${plural(loops.length, 'loop')}`}</span>
      </div>
    </div>
  );
}
