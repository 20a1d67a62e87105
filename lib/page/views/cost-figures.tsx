// The figures of a session in four boxes.
import type { SentCostOfSession } from '../api/types.ts';
import type { Course } from '../model/course.ts';
import { count, money, plural, tokens } from '../model/numbers.ts';
import { Figures } from './cost-parts.tsx';

export function CostFigures({ cost: { total, window: limit }, course }: { cost: SentCostOfSession; course: Course }) {
  const { requests, compactions, failed, loops } = course;
  const sum = (member: 'input' | 'output' | 'cached') => requests.reduce((all, request) => all + request[member], 0);
  const [input, output, cached] = [sum('input'), sum('output'), sum('cached')];
  const without = total.withoutPrice === 0 || total.withoutPrice === total.requests ? 0 : total.withoutPrice;
  return (
    <Figures
      boxes={[
        [
          'This session',
          total.cost === undefined ? `${tokens(input + output)} tokens` : money(total.cost),
          [
            plural(requests.length, 'request'),
            ...(total.cost === undefined ? ['no price is known'] : []),
            ...(without === 0 ? [] : [`${count(without)} without a price left out`]),
          ].join(', '),
        ],
        [
          'From cache',
          `${input === 0 ? '0' : ((100 * cached) / input).toFixed(1)} %`,
          `of ${tokens(input)} input tokens`,
        ],
        [
          'Fullest',
          tokens(Math.max(...requests.map((request) => request.input))),
          [
            limit === undefined ? 'tokens' : `of ${tokens(limit)} tokens`,
            ...(compactions.length === 0 ? [] : [`compacted ${plural(compactions.length, 'time')}`]),
          ].join(', '),
        ],
        ['Failed calls', count(failed.length), loops.length === 0 ? '' : `and ${plural(loops.length, 'loop')}`],
      ]}
    />
  );
}
