// Numbers of all sessions by model, project, session, program or tool, as a table: of all days, or of
// one. Each is asked for when it is shown.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { StatsRowOfAll } from '../api/types.ts';
import { useReadingResource, useResource } from '../api/use-resource.ts';
import { NO_NAME, ownZone, tokensOf } from '../model/cost-days.ts';
import { count, duration, money, plural, tokens } from '../model/numbers.ts';
import type { CostBy, CostPlace } from '../model/place.ts';
import { modelName, nameOf } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { Choice } from '../parts/choice.tsx';
import { FailureState } from '../parts/failure-state.tsx';
import { AgentMark } from '../parts/icon.tsx';
import { PriceDialog } from '../parts/price-dialog.tsx';
import { Skeleton } from '../parts/state.tsx';
import { costLink, go, sessionLink, sessionsLink } from '../router.ts';
import { dayOf } from './cost-parts.tsx';
import './cost-parts.css';

/** Rows of the table: a home may have thousands of projects. */
const MOST_ROWS = 200;
const NAMES: Readonly<Record<CostBy, string>> = {
  model: 'Model',
  project: 'Project',
  session: 'Session',
  agent: 'Program',
  tool: 'Tool',
};

export function NumbersBy({ place, onPriced }: { place: CostPlace; onPriced: () => void }) {
  const { by, days, day } = place;
  const stats = useResource(`stats ${by} ${day ?? days}`, (signal) =>
    server.getStats({ query: { by, days, day, zone: ownZone(), limit: MOST_ROWS + 1 }, signal }),
  );
  const { value, failure, reload } = stats;
  useReadingResource(stats);
  // The last answer stays while another is on its way.
  const isShown = value?.by[0] === by;
  return (
    <>
      <div class="view-title">
        <h2 class="section-title">{day === undefined ? 'By' : `${dayOf(new Date(`${day}T12:00`))}, by`}</h2>
        <Choice
          label="By what"
          options={Object.entries(NAMES).map(([each, name]) => [name, each as CostBy])}
          value={by}
          onPick={(each) => go(costLink({ ...place, by: each }))}
        />
        {day === undefined ? null : (
          <button type="button" class="button" onClick={() => go(costLink({ ...place, day: undefined }))}>
            All {days} days
          </button>
        )}
      </div>
      {failure ? (
        <FailureState failure={failure} retry={reload} />
      ) : isShown && value.rows.length === 0 ? (
        <p class="meta">{day === undefined ? 'Nothing in these days.' : 'Nothing on this day.'}</p>
      ) : isShown ? (
        <Table
          by={by}
          days={day === undefined ? days : undefined}
          rows={value.rows.slice(0, MOST_ROWS)}
          isCut={value.rows.length > MOST_ROWS}
          onPriced={() => {
            reload();
            onPriced();
          }}
        />
      ) : (
        <Skeleton />
      )}
    </>
  );
}

interface TableProps {
  readonly by: CostBy;
  /** Undefined with the rows of one day. */
  readonly days: number | undefined;
  readonly rows: readonly StatsRowOfAll[];
  /** There are further rows. */
  readonly isCut: boolean;
  readonly onPriced: () => void;
}

function Table({ by, days, rows, isCut, onPriced }: TableProps) {
  /** The model whose price is asked for. */
  const [asked, setAsked] = useState<string>();
  const columns: readonly (readonly [title: string, cell: (row: StatsRowOfAll) => ComponentChildren])[] =
    by === 'tool'
      ? [
          ['Sessions', ({ sessions }) => count(sessions)],
          ['Calls', ({ calls }) => count(calls)],
          ['Failed', ({ failedCalls }) => some(failedCalls)],
          ['Ran', ({ callsMs }) => (callsMs === undefined ? '' : duration(callsMs))],
        ]
      : [
          ...(by === 'session' ? [] : [['Sessions', ({ sessions }: StatsRowOfAll) => count(sessions)] as const]),
          ['Turns', ({ turns }) => some(turns)],
          ['Tokens', (row) => (tokensOf(row) === undefined ? '' : tokens(tokensOf(row)!))],
          ['You waited', ({ youWaitedMs }) => (youWaitedMs === undefined ? '' : duration(youWaitedMs))],
          ['Failed', ({ failedTurns, failedCalls }) => some(failedTurns + failedCalls)],
          [
            'Cost',
            (row) => {
              const { model, cost, withoutPrice } = row;
              if (by !== 'model' || model === undefined || withoutPrice === 0) return costOf(row);
              return (
                <>
                  {cost === undefined ? null : <>{costOf(row)} </>}
                  <button type="button" class="link" onClick={() => setAsked(model)}>
                    Set a price<span class="said-only"> for {oneLine(model)}</span>
                  </button>
                </>
              );
            },
          ],
        ];
  return (
    <>
      {isCut ? <p class="meta">The greatest {count(MOST_ROWS)}.</p> : null}
      <div class="scrolled" tabIndex={0} role="group" aria-label={`Numbers by ${NAMES[by]}`}>
        <table class="plain-table">
          <thead>
            <tr>
              <th>{NAMES[by]}</th>
              {columns.map(([title]) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row[by]}>
                <td class="name" title={by === 'project' || by === 'session' ? row[by] : undefined}>
                  {sessionsOf(row, by, days) === undefined ? (
                    titleOf(row, by)
                  ) : (
                    <>
                      {by === 'session' ? <AgentMark agent={agentOf(row.session!)} /> : null}
                      <a href={sessionsOf(row, by, days)}>{titleOf(row, by)}</a>
                    </>
                  )}
                </td>
                {columns.map(([title, cell]) => (
                  <td key={title}>{cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asked === undefined ? null : (
        <PriceDialog
          model={asked}
          onClose={(isSet) => {
            setAsked(undefined);
            if (isSet) onPriced();
          }}
        />
      )}
    </>
  );
}

/** The list of the sessions that a sum is of, which is never that of one day; the costs of a session. */
function sessionsOf(
  { project, agent, session }: StatsRowOfAll,
  by: CostBy,
  days: number | undefined,
): string | undefined {
  if (by === 'session' && session !== undefined) return sessionLink(session, '?tab=cost');
  if (days === undefined) return undefined;
  if (by === 'project' && project !== undefined) return sessionsLink({ project, days });
  return by === 'agent' && agent !== undefined ? sessionsLink({ agent, days }) : undefined;
}

/** A sum says how many requests it leaves out. */
function costOf({ cost, requests, withoutPrice }: StatsRowOfAll): ComponentChildren {
  if (requests === 0) return '';
  if (cost === undefined || withoutPrice === 0) return money(cost);
  return (
    <>
      {money(cost)} <span class="meta">without {plural(withoutPrice, 'request')}</span>
    </>
  );
}

function agentOf(session: string): string {
  return session.slice(0, session.indexOf(':'));
}

function titleOf(row: StatsRowOfAll, by: CostBy): string {
  const value = row[by] ?? NO_NAME;
  if (by === 'model') return modelName(value);
  if (by === 'session') return oneLine(row.title ?? value);
  return by === 'project' ? nameOf(value) : oneLine(value);
}

function some(value: number): string {
  return value === 0 ? '' : count(value);
}
