// Which tokens a session took: read from a cache, written to it, or neither.
import type { CourseRequest } from '../model/course.ts';
import { tokens } from '../model/numbers.ts';
import './cost-parts.css';

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
      <table class="plain-table where">
        <thead>
          <tr>
            <th>Tokens</th>
            <th>Share</th>
            <th>Count</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(([name, value, colour]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                <svg width={WIDTH} height="10" viewBox={`0 0 ${WIDTH} 10`} aria-hidden="true">
                  <rect width={(WIDTH * value) / most} height="10" rx="2" fill={colour} />
                </svg>
              </td>
              <td>{tokens(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
