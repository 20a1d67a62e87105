// A year with your agents: hours, tokens, money, when prompts are written, projects, programs, what failed most, as one
// page and one picture.
import { server } from '../api/server.ts';
import type { StatsOfAll } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { NO_NAME, ownZone, tokensOf } from '../model/cost-days.ts';
import { count, duration, money, plural, shortDay, tokens } from '../model/numbers.ts';
import { modelName, nameOf } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { DAYS, greatest, type RankedName, shadeOf, type Year, yearOf } from '../model/year.ts';
import { agentName, Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { State } from '../parts/state.tsx';
import { useTitle } from '../state/title.ts';
import { LeftOut, useWidth } from './cost-parts.tsx';
import './cost-parts.css';
import './year.css';

interface Answers {
  readonly year: Year;
  readonly projects: readonly RankedName[];
  readonly agents: readonly RankedName[];
  readonly models: readonly RankedName[];
  readonly failed: readonly RankedName[];
  readonly leftOut: readonly string[];
}

const BY = ['day', 'hour', 'project', 'agent', 'model', 'tool'] as const;

export function YearView({ project }: { project: string | undefined }) {
  useTitle('A year with your agents');
  const answers = useResource(`year ${project ?? ''}`, async (signal): Promise<Answers> => {
    const zone = ownZone();
    const [day, hour, ofProject, agent, model, tool] = (await Promise.all(
      BY.map((by) => server.getStats({ query: { by, days: DAYS, zone, project }, signal })),
    )) as [StatsOfAll, StatsOfAll, StatsOfAll, StatsOfAll, StatsOfAll, StatsOfAll];
    return {
      year: yearOf(day, hour, new Date()),
      projects: greatest(ofProject, 'turns', (row) => nameOf(row.project ?? NO_NAME)),
      agents: greatest(agent, 'turns', (row) => agentName(row.agent ?? NO_NAME)),
      models: greatest(model, 'tokens', (row) => modelName(row.model ?? NO_NAME)),
      failed: greatest(tool, 'failedCalls', (row) => oneLine(row.tool ?? NO_NAME)),
      leftOut: day.leftOut,
    };
  });
  const { value } = answers;
  return (
    <>
      <header class="view-head">
        <div class="view-title">
          <h1 class="cut grow">{project === undefined ? 'A year with your agents' : `A year in ${nameOf(project)}`}</h1>
          {value === undefined || value.year.total.turns === 0 ? null : (
            <button type="button" class="button" onClick={() => void savePicture(value, project)}>
              <Icon name="export" />
              Save picture
            </button>
          )}
        </div>
      </header>
      <Loaded of={answers} what="the year">
        {(loaded) =>
          loaded.year.total.turns === 0 ? (
            <State icon="cost" title="Nothing in this year">
              No session had a prompt in the last {DAYS} days.
            </State>
          ) : (
            <YearPage answers={loaded} />
          )
        }
      </Loaded>
    </>
  );
}

async function savePicture(answers: Answers, project: string | undefined): Promise<void> {
  const { pictureOfYear } = await import('../parts/year-picture.ts');
  await pictureOfYear({
    title: project === undefined ? 'A year with my agents' : `A year in ${nameOf(project)}`,
    figures: figuresOf(answers.year),
    year: answers.year,
    lists: listsOf(answers).map(([name, rows, say]) => [name, rows.map((row) => [row.name, say(row.value)])] as const),
  });
}

/** The great numbers, each with its meaning. */
function figuresOf({ total, activeDays, longestRun }: Year): readonly (readonly [value: string, what: string])[] {
  const used = tokensOf(total);
  return [
    [count(total.turns), `prompts in ${plural(total.sessions, 'session')}`],
    [count(activeDays), `days, ${count(longestRun)} of them in a row`],
    ...(total.youWaitedMs === undefined ? [] : [[duration(total.youWaitedMs), 'they worked for you'] as const]),
    ...(used === undefined ? [] : [[tokens(used), 'tokens'] as const]),
    ...(total.cost === undefined ? [] : [[money(total.cost), 'as far as prices are known'] as const]),
    [count(total.calls), `calls, ${count(total.failedCalls)} failed`],
  ];
}

type Say = (value: number) => string;

function listsOf(answers: Answers): readonly (readonly [name: string, rows: readonly RankedName[], say: Say])[] {
  const all = [
    ['Projects', answers.projects, (value: number) => plural(value, 'prompt')],
    ['Programs', answers.agents, (value: number) => plural(value, 'prompt')],
    ['Models', answers.models, (value: number) => `${tokens(value)} tokens`],
    ['Failed most', answers.failed, (value: number) => plural(value, 'time')],
  ] as const;
  return all.filter(([, rows]) => rows.length > 0);
}

function YearPage({ answers }: { answers: Answers }) {
  const { year, leftOut } = answers;
  return (
    <div class="year">
      <div class="card figures">
        {figuresOf(year).map(([value, what]) => (
          <div key={what}>
            <b>{value}</b>
            <span class="meta">{what}</span>
          </div>
        ))}
      </div>
      <h2 class="section-title">Days</h2>
      <Calendar year={year} />
      <h2 class="section-title">Prompts by hour</h2>
      <Hours hours={year.hours} />
      <div class="ranked-lists">
        {listsOf(answers).map(([name, rows, say]) => (
          <RankedList key={name} name={name} rows={rows} say={say} />
        ))}
      </div>
      <LeftOut sentences={leftOut} />
    </div>
  );
}

const CELL = 14;
const GAP = 3;

function Calendar({ year: { weeks, busiest, activeDays } }: { year: Year }) {
  const most = busiest?.turns ?? 0;
  const label =
    busiest === undefined
      ? 'No day has a prompt'
      : `${plural(activeDays, 'day')} with prompts; the most on ${dayOf(busiest.day)}: ${plural(most, 'prompt')}`;
  return (
    <>
      <div class="scrolled calendar" tabIndex={0} role="group" aria-label="Days of the year">
        <svg
          class="chart"
          width={weeks.length * (CELL + GAP)}
          height={7 * (CELL + GAP) + 18}
          role="img"
          aria-label={label}
        >
          {weeks.map((week, at) => (
            <g key={at}>
              {monthAt(weeks, at) === undefined ? null : (
                <text x={at * (CELL + GAP)} y={12}>
                  {monthAt(weeks, at)}
                </text>
              )}
              {week.map((day, row) =>
                day === undefined ? null : (
                  <rect
                    key={day.day}
                    class={`shade-${shadeOf(day.turns, most)}`}
                    x={at * (CELL + GAP)}
                    y={18 + row * (CELL + GAP)}
                    width={CELL}
                    height={CELL}
                    rx={3}
                  >
                    <title>{`${dayOf(day.day)}: ${plural(day.turns, 'prompt')}`}</title>
                  </rect>
                ),
              )}
            </g>
          ))}
        </svg>
      </div>
      <p class="meta">{label}.</p>
    </>
  );
}

/** The name of the month that begins in a week. */
function monthAt(weeks: Year['weeks'], at: number): string | undefined {
  const first = weeks[at]?.find((day) => day?.day.endsWith('-01') === true);
  if (first === undefined) return undefined;
  return new Date(`${first.day}T12:00:00`).toLocaleDateString('en', { month: 'short' });
}

function dayOf(day: string): string {
  return shortDay(new Date(`${day}T12:00:00`), new Date());
}

const HEIGHT = 96;

function Hours({ hours }: { hours: readonly number[] }) {
  const [box, width] = useWidth();
  const most = Math.max(...hours, 1);
  const slot = Math.min(width, 720) / 24;
  const busiest = hours.indexOf(most);
  return (
    <div ref={box}>
      <svg
        class="chart"
        width={Math.min(width, 720)}
        height={HEIGHT + 20}
        role="img"
        aria-label={`Prompts by hour of the day; the most from ${busiest} to ${busiest + 1}: ${plural(most, 'prompt')}`}
      >
        {hours.map((value, hour) => (
          <g key={hour}>
            <title>{`${hour} to ${hour + 1}: ${plural(value, 'prompt')}`}</title>
            <rect
              x={slot * hour + 1}
              y={HEIGHT * (1 - value / most)}
              width={Math.max(1, slot - 2)}
              height={Math.max(1, (HEIGHT * value) / most)}
              fill={value === 0 ? 'var(--line)' : 'var(--c1)'}
              rx={2}
            />
            {hour % 6 === 0 ? (
              <text x={slot * hour + 1} y={HEIGHT + 14}>
                {String(hour).padStart(2, '0')}:00
              </text>
            ) : null}
          </g>
        ))}
      </svg>
    </div>
  );
}

function RankedList({ name, rows, say }: { name: string; rows: readonly RankedName[]; say: Say }) {
  const most = rows[0]?.value ?? 1;
  return (
    <section aria-label={name}>
      <h2 class="label">{name}</h2>
      <ol class="ranked">
        {rows.map((row) => (
          <li key={row.name}>
            <span class="cut grow" title={row.name}>
              {row.name}
            </span>
            <span class="meta">{say(row.value)}</span>
            <svg width="100%" height="4" preserveAspectRatio="none" viewBox="0 0 100 4" aria-hidden="true">
              <rect width={(100 * row.value) / most} height="4" fill="var(--c1)" />
            </svg>
          </li>
        ))}
      </ol>
    </section>
  );
}
