// Numbers of all sessions by model, project, program or tool, as a table. Each is asked for when it is shown.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { StatsOfAll } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { NO_NAME, tokensOf } from '../model/cost-days.ts';
import { count, duration, money, tokens } from '../model/numbers.ts';
import type { CostBy } from '../model/place.ts';
import { modelName, nameOf } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { PriceDialog } from '../parts/price-dialog.tsx';
import { Skeleton } from '../parts/state.tsx';
import { go, sessionsLink } from '../router.ts';
import '../parts/choice.css';
import './cost-parts.css';

type Row = StatsOfAll['rows'][number];

/** Rows of the table: a home may have thousands of projects. */
const MOST_ROWS = 200;
const NAMES: Readonly<Record<CostBy, string>> = { model: 'Model', project: 'Project', agent: 'Program', tool: 'Tool' };

export function NumbersBy({ by, days, onPriced }: { by: CostBy; days: number; onPriced: () => void }) {
  const { value, failure, reload } = useResource(`stats ${by} ${days}`, (signal) =>
    server.getStats({ query: { by, days }, signal }),
  );
  // The last answer stays while another is on its way.
  const isShown = value?.by[0] === by;
  return (
    <>
      <div class="view-title">
        <h2 class="section-title">By</h2>
        <fieldset class="choice" aria-label="By what">
          {Object.entries(NAMES).map(([each, name]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === by}
              onClick={() => go(`/cost?days=${days}&by=${each}`)}
            >
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {failure ? (
        <FailureState failure={failure} retry={reload} isPage={false} />
      ) : isShown ? (
        <Table
          by={by}
          days={days}
          rows={value.rows}
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

function Table(props: { by: CostBy; days: number; rows: readonly Row[]; onPriced: () => void }) {
  const { by, days, rows, onPriced } = props;
  /** The model whose price is asked for. */
  const [asked, setAsked] = useState<string>();
  const columns: readonly (readonly [title: string, cell: (row: Row) => ComponentChildren])[] =
    by === 'tool'
      ? [
          ['Sessions', ({ sessions }) => count(sessions)],
          ['Calls', ({ calls }) => count(calls)],
          ['Failed', ({ failedCalls }) => some(failedCalls)],
          ['Ran', ({ callsMs }) => (callsMs === undefined ? '' : duration(callsMs))],
        ]
      : [
          ['Sessions', ({ sessions }) => count(sessions)],
          ['Turns', ({ turns }) => some(turns)],
          ['Tokens', (row) => (tokensOf(row) === undefined ? '' : tokens(tokensOf(row)!))],
          ['You waited', ({ youWaitedMs }) => (youWaitedMs === undefined ? '' : duration(youWaitedMs))],
          ['Failed', ({ failedTurns, failedCalls }) => some(failedTurns + failedCalls)],
          [
            'Cost',
            ({ cost, requests, model }) =>
              requests === 0 ? (
                ''
              ) : cost === undefined && by === 'model' && model !== undefined ? (
                <button type="button" class="link" onClick={() => setAsked(model)}>
                  Set a price<span class="said-only"> for {oneLine(model)}</span>
                </button>
              ) : (
                money(cost)
              ),
          ],
        ];
  return (
    <>
      {rows.length > MOST_ROWS ? (
        <p class="meta">
          The greatest {count(MOST_ROWS)} of {count(rows.length)}.
        </p>
      ) : null}
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
            {rows.slice(0, MOST_ROWS).map((row) => (
              <tr key={row[by]}>
                <td class="name" title={by === 'project' ? row.project : undefined}>
                  {sessionsOf(row, by, days) === undefined ? (
                    titleOf(row, by)
                  ) : (
                    <a href={sessionsOf(row, by, days)}>{titleOf(row, by)}</a>
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

/** The list of the sessions that a sum is of, where a list can be so narrow. */
function sessionsOf({ project, agent }: Row, by: CostBy, days: number): string | undefined {
  if (by === 'project' && project !== undefined) return sessionsLink({ project, days });
  return by === 'agent' && agent !== undefined ? sessionsLink({ agent, days }) : undefined;
}

function titleOf(row: Row, by: CostBy): string {
  const value = row[by] ?? NO_NAME;
  if (by === 'model') return modelName(value);
  return by === 'project' ? nameOf(value) : oneLine(value);
}

function some(value: number): string {
  return value === 0 ? '' : count(value);
}
