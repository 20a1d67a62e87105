// Two sessions side by side: two forks, two models, two agents on one prompt.
import { useRef } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentSessionRow, SentSteps } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { count, duration, money, shortTime, tokens } from '../model/numbers.ts';
import { modelName } from '../model/short-names.ts';
import { figuresOf, type RunFigures, spansOf, type TimedStep, turnsOf } from '../model/timeline.ts';
import { oneLine, saidInOneLine } from '../model/visible.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { AgentMark } from '../parts/icon.tsx';
import { Skeleton } from '../parts/state.tsx';
import { compareLink, sessionLink } from '../router.ts';
import { useListKeys } from '../state/list-keys.ts';
import { useTitle } from '../state/title.ts';
import '../parts/session-row.css';
import './cost-parts.css';
import './compare.css';

export function CompareView({ first, second }: { first: string | undefined; second: string | undefined }) {
  useTitle('Side by side');
  const body = useRef<HTMLDivElement>(null);
  useListKeys(body);
  return (
    <>
      <header class="view-head">
        <div class="view-title">
          <h1>Side by side</h1>
        </div>
      </header>
      <div ref={body} class="view-body" tabIndex={0}>
        {first === undefined || second === undefined ? (
          <Choice first={first ?? second} />
        ) : (
          <Pair addresses={[first, second]} />
        )}
      </div>
    </>
  );
}

/** Sessions of the same project are the likely ones: they come first. */
function Choice({ first }: { first: string | undefined }) {
  const list = useResource(`compare ${first}`, async (signal) => {
    const row = first === undefined ? undefined : await server.getSession({ parameters: { id: first }, signal });
    const newest = (project?: string) => server.listSessions({ query: { limit: 50, project }, signal });
    const lists = [...(row?.project === undefined ? [] : [await newest(row.project)]), await newest()];
    const rows = new Map(lists.flatMap(({ sessions }) => sessions.map((each) => [each.address, each] as const)));
    return { row, rows: [...rows.values()].filter(({ address }) => address !== row?.address) };
  });
  if (list.failure) return <FailureState failure={list.failure} retry={list.reload} />;
  if (list.value === undefined) return <Skeleton what="sessions" />;
  const { row, rows } = list.value;
  return (
    <section aria-label="Choose a session">
      <h2 class="section-title">
        {row === undefined ? 'Choose the first session' : `Choose one to see beside “${oneLine(row.title ?? row.id)}”`}
      </h2>
      <ul class="choices">
        {rows.map((each) => (
          <li key={each.address}>
            <a
              class="row-title"
              data-row
              href={first === undefined ? compareLink(each.address) : compareLink(first, each.address)}
            >
              <AgentMark agent={each.agent} />
              <span class="cut grow" dir="auto">
                {oneLine(each.title ?? each.id)}
              </span>
              <span class="meta">
                {each.lastActivity === undefined ? '' : shortTime(new Date(each.lastActivity), new Date())}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Side {
  readonly address: string;
  readonly row: SentSessionRow;
  readonly course: SentSteps;
}

function Pair({ addresses }: { addresses: readonly [string, string] }) {
  const sides = useResource(`pair ${addresses.join(' ')}`, (signal) =>
    Promise.all(
      addresses.map(async (address): Promise<Side> => {
        const [row, course] = await Promise.all([
          server.getSession({ parameters: { id: address }, signal }),
          server.getSteps({ parameters: { id: address }, signal }),
        ]);
        return { address, row, course };
      }),
    ),
  );
  if (sides.failure) return <FailureState failure={sides.failure} retry={sides.reload} />;
  if (sides.value === undefined) return <Skeleton what="two sessions" />;
  const both = sides.value;
  const figures = both.map(({ course }) => figuresOf(course.steps));
  const turns = both.map(({ course }) => turnsOf(course.steps.filter(({ undone }) => undone !== true)));
  const most = Math.max(...turns.map(({ length }) => length));
  return (
    <div class="pair">
      <div class="scrolled" tabIndex={0} role="group" aria-label="Figures of both">
        <table class="plain-table">
          <thead>
            <tr>
              <th>
                <span class="said-only">Figure</span>
              </th>
              {both.map(({ address, row, course }) => (
                <th key={address}>
                  <a href={sessionLink(address)} dir="auto">
                    {oneLine(row.title ?? row.id)}
                  </a>
                  <span class="meta">
                    <AgentMark agent={row.agent} /> {course.model === undefined ? '' : modelName(course.model)}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {FIGURES.map(([name, say]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {figures.map((each, index) => (
                  <td key={index}>{say(each)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {Array.from({ length: most }, (_, index) => (
        <section key={index} class="pair-turn" aria-label={`Turn ${index + 1}`}>
          <h2 class="label">Turn {index + 1}</h2>
          <div class="pair-columns">
            {both.map(({ address }, side) => (
              <TurnOf key={address} turn={turns[side]?.[index]} address={address} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

const FIGURES: readonly (readonly [name: string, say: (figures: RunFigures) => string])[] = [
  ['Cost', ({ cost }) => money(cost)],
  ['Tokens', (each) => tokens(each.tokens)],
  ['Model', ({ sums }) => duration(sums.model)],
  ['Tools', ({ sums }) => duration(sums.tool)],
  ['Waited for you', ({ sums }) => (sums.you === 0 ? 'not at all' : duration(sums.you))],
  ['Turns', ({ turns }) => count(turns)],
  ['Calls', ({ calls, failed }) => (failed === 0 ? count(calls) : `${count(calls)}, ${count(failed)} failed`)],
  ['Files changed', ({ files }) => count(files)],
];

function TurnOf({ turn, address }: { turn: readonly TimedStep[] | undefined; address: string }) {
  const [prompt] = turn ?? [];
  if (turn === undefined || prompt === undefined) return <div class="card pair-side meta">No such turn.</div>;
  const reply = turn.findLast(({ kind }) => kind === 'reply');
  const { turns: _, ...figures } = figuresOf(turn);
  const spans = spansOf(turn);
  return (
    <div class="card pair-side">
      <p class="pair-prompt" dir="auto">
        <a href={sessionLink(address, `#${prompt.seq}`)}>{oneLine(prompt.text)}</a>
      </p>
      <p class="meta">
        {[
          spans === undefined ? '' : duration(spans.lengthMs),
          `${count(figures.calls)} ${figures.calls === 1 ? 'call' : 'calls'}`,
          `${tokens(figures.tokens)} tokens`,
          figures.cost === undefined ? '' : money(figures.cost),
        ]
          .filter((each) => each !== '')
          .join(', ')}
      </p>
      {reply === undefined ? (
        <p class="meta">No answer.</p>
      ) : (
        <p dir="auto">
          {saidInOneLine(reply.text)} <a href={sessionLink(address, `#${reply.seq}`)}>Read it</a>
        </p>
      )}
    </div>
  );
}
