import type { SessionFilter } from '../model/session-lines.ts';
import { go, sessionsLink } from '../router.ts';
import { agentName } from './icon.tsx';
import './list-head.css';

const PERIODS: readonly (readonly [name: string, days: number | undefined])[] = [
  ['Any time', undefined],
  ['Last day', 1],
  ['Last week', 7],
  ['Last month', 30],
  ['Last year', 365],
];

/** Which sessions are listed: it is in the address, so that a link leads to the same list. */
export function SessionFilters({ filter, agents }: { filter: SessionFilter; agents: readonly string[] }) {
  const { agent, days } = filter;
  const known = [...new Set(agent === undefined ? agents : [...agents, agent])].sort();
  return (
    <>
      <select
        class="filter"
        aria-label="Agent"
        value={agent ?? ''}
        onChange={(event) => go(sessionsLink({ ...filter, agent: event.currentTarget.value || undefined }))}
      >
        <option value="">All agents</option>
        {known.map((each) => (
          <option key={each} value={each}>
            {agentName(each)}
          </option>
        ))}
      </select>
      <select
        class="filter"
        aria-label="Time"
        value={String(days ?? '')}
        onChange={(event) => go(sessionsLink({ ...filter, days: Number(event.currentTarget.value) || undefined }))}
      >
        {PERIODS.map(([name, each]) => (
          <option key={name} value={String(each ?? '')}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
