// Which tokens a session took: read from a cache, written to it, or neither.
import type { CourseRequest } from '../model/course.ts';
import { tokens } from '../model/numbers.ts';
import { PlainTable } from './cost-parts.tsx';

const WIDTH = 240;

export function WhereItWent({ requests }: { requests: readonly CourseRequest[] }) {
  const sum = (pick: (request: CourseRequest) => number) => requests.reduce((all, each) => all + pick(each), 0);
  const [input, cached, written] = [sum((each) => each.input), sum((each) => each.cached), sum((each) => each.written)];
  const parts = [
    ['From cache', cached, 'var(--c1)'],
    ['Written to cache', written, 'var(--c2)'],
    ['Other input', Math.max(0, input - cached - written), 'url(#hatched)'],
    ['Output', sum((each) => each.output), 'var(--c3)'],
  ] as const;
  const most = Math.max(...parts.map(([, value]) => value), 1);
  return (
    <>
      <h2 class="section-title">Where it went</h2>
      <PlainTable
        heads={['Tokens', 'Share', 'Count']}
        rows={parts.map(([name, value, colour]) => [
          name,
          <svg key="share" width={WIDTH} height="10" viewBox={`0 0 ${WIDTH} 10`} aria-hidden="true">
            <rect width={(WIDTH * value) / most} height="10" rx="2" fill={colour} />
          </svg>,
          tokens(value),
        ])}
      />
    </>
  );
}
