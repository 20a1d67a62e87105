import type { SentSessionRow } from '../api/types.ts';
import { count, duration, exactTime, money, shortTime, tokens } from '../model/numbers.ts';
import { modelName, nameOf } from '../model/short-names.ts';
import { oneLine, saidInOneLine } from '../model/visible.ts';
import { sessionLink } from '../router.ts';
import { AgentMark, agentName, Icon } from './icon.tsx';
import { Shape } from './shape.tsx';
import './session-row.css';

/** A row of a list of sessions; one link for the whole of it. */
export function SessionLine({
  row,
  index,
  withProject,
}: {
  row: SentSessionRow;
  index: number;
  /** Where the list does not say it above the row. */
  withProject: boolean;
}) {
  const { activity } = row;
  const runs = activity?.kind === 'running';
  const asks = activity?.kind === 'waiting';
  const time = row.lastActivity === undefined ? undefined : new Date(row.lastActivity);
  const title = row.title === undefined ? row.address : oneLine(row.title);
  return (
    <div class={`session-row${runs || asks ? ' live' : ''}`} role="row" aria-rowindex={index}>
      <span role="gridcell">
        <AgentMark agent={row.agent} />
      </span>
      <span class="grow row-words" role="gridcell">
        <a data-row class="row-title cut" dir="auto" href={sessionLink(row.address)}>
          {title}
        </a>
        <span class="row-last meta cut">
          {asks ? (
            <>
              <span class="dot asks" /> Asks{activity?.asks === undefined ? '' : `: ${oneLine(activity.asks)}`}, for{' '}
              {so(activity)}
            </>
          ) : runs ? (
            <>
              <span class="dot runs" /> A turn runs, for {so(activity)}
            </>
          ) : row.problem === 'encrypted' ? (
            <>
              <Icon name="lock" /> encrypted
            </>
          ) : (
            <>
              <span class="row-facts">{factsOf(row, withProject)}</span>
              {row.said === undefined ? null : <LastSaid {...row.said} />}
            </>
          )}
        </span>
      </span>
      {row.problem !== undefined && row.problem !== 'encrypted' ? (
        <span class="chip danger" role="gridcell" title={row.problem}>
          damaged
        </span>
      ) : null}
      {row.gone === true ? (
        <span class="chip dashed" role="gridcell" title="Its program deleted the file; what was read is kept here.">
          kept here only
        </span>
      ) : null}
      {asks ? (
        <span role="gridcell">
          <a class="button answer" href={sessionLink(row.address)} aria-label={`Answer ${title}`}>
            Answer
          </a>
        </span>
      ) : null}
      <span class="wide" role="gridcell">
        <Shape bytes={row.shape} />
      </span>
      <span class="row-number middle" role="gridcell">
        {row.messageCount === undefined ? (
          ''
        ) : (
          <>
            {count(row.messageCount)}
            <span class="said-only"> messages</span>
          </>
        )}
      </span>
      <span class="row-number middle" role="gridcell">
        {spentOn(row)}
      </span>
      <span class="row-number" role="gridcell">
        {time === undefined ? (
          ''
        ) : (
          <time dateTime={row.lastActivity} title={exactTime(time)}>
            {shortTime(time, new Date())}
          </time>
        )}
      </span>
    </div>
  );
}

/** Project, model and branch; the agent is in the mark of the row. */
function factsOf({ said, agent, project, model, branch }: SentSessionRow, withProject: boolean): string {
  const facts = [
    said === undefined ? agentName(agent) : undefined,
    withProject && project ? nameOf(project) : undefined,
    model && modelName(model),
    branch,
  ].flatMap((each) => (each ? oneLine(each) : []));
  return `${facts.join(' · ')}${said === undefined || facts.length === 0 ? '' : ' — '}`;
}

/** A session whose last word is yours was broken off. */
function LastSaid({ by, text }: Required<SentSessionRow>['said']) {
  return (
    <span class="row-said" dir="auto">
      {by === 'user' ? 'You: ' : ''}
      {by === 'user' ? oneLine(text) : saidInOneLine(text)}
    </span>
  );
}

/** Dollars, or tokens where no price is known. */
function spentOn({ messageCount, cost, tokens: used }: SentSessionRow): string {
  if (messageCount === undefined) return '';
  if (cost !== undefined) return money(cost);
  return used === undefined ? '' : `${tokens(used)} tokens`;
}

/** How long a turn has taken. */
function so(activity: SentSessionRow['activity']): string {
  const { since } = (activity ?? {}) as { since?: string };
  return since === undefined ? '' : duration(Math.max(0, Date.now() - Date.parse(since)));
}
