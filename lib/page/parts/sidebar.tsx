import { useState } from 'preact/hooks';
import { type ConnectionState, useConnection } from '../api/connection.ts';
import type { NewestSessions, SentSessionRow } from '../api/types.ts';
import { isLive } from '../model/live-row.ts';
import { count } from '../model/numbers.ts';
import { nameOf } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { type PagePlace, sessionLink, sessionsLink } from '../router.ts';
import { allowNotifications, canNotify } from '../state/notifications.ts';
import { useAsking } from '../state/title.ts';
import { Icon, type IconName } from './icon.tsx';
import { ThemeButton } from './theme-button.tsx';

const VIEWS: readonly (readonly [view: PagePlace['view'], address: string, name: string, icon: IconName])[] = [
  ['sessions', '/', 'Sessions', 'sessions'],
  ['search', '/search', 'Search', 'search'],
  ['new', '/new', 'New', 'new'],
  ['cost', '/cost', 'Cost', 'cost'],
];

const CONNECTION: Readonly<Record<ConnectionState, string>> = {
  connected: 'Connected',
  reconnecting: 'Reconnecting',
  offline: 'No answer',
};

/** Projects in the sidebar. */
const MOST = 12;

export function Sidebar({ place, newest }: { place: PagePlace; newest: NewestSessions | undefined }) {
  const { state: connection } = useConnection();
  const live = (newest?.sessions ?? []).filter(isLive);
  const waiting = live.filter(({ activity }) => activity?.kind === 'waiting');
  useAsking(
    'list',
    waiting.map((row) => [row.address, titleOf(row)]),
  );
  const projects = newest?.counts.projects.filter(({ project }) => project !== undefined) ?? [];
  const [isWhole, setIsWhole] = useState(false);
  const current = place.view === 'sessions' ? place.project : undefined;
  return (
    <div class="sidebar">
      <div class="sidebar-scroll">
        <nav aria-label="Views">
          <a class="brand" href="/" title="All sessions">
            <Icon name="sessions" />
            <span class="word">ollm</span>
          </a>
          {VIEWS.map(([view, address, name, icon]) => (
            <a
              key={view}
              class="nav-item"
              href={address}
              aria-current={place.view === view && current === undefined ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span class="word">{name}</span>
              {view === 'sessions' && newest ? <span class="count">{count(newest.counts.total)}</span> : null}
              {view === 'search' ? <kbd aria-hidden="true">/</kbd> : null}
            </a>
          ))}
        </nav>
        {live.length === 0 ? null : (
          <nav aria-label="Live">
            <p class="nav-part label">Live</p>
            {live.map((row) => (
              <a key={row.address} class="nav-item" href={sessionLink(row.address)}>
                <span class={`dot ${row.activity?.kind === 'waiting' ? 'asks' : 'runs'}`} />
                <span class="word cut">{titleOf(row)}</span>
                <span class="said-only">{row.activity?.kind === 'waiting' ? 'asks' : 'runs'}</span>
              </a>
            ))}
          </nav>
        )}
        {projects.length === 0 ? null : (
          <nav class="projects" aria-label="Projects">
            <p class="nav-part label">Projects</p>
            {(isWhole ? projects : projects.slice(0, MOST)).map(({ project = '', sessions }) => (
              <a
                key={project}
                class="nav-item"
                href={sessionsLink({ project })}
                title={project}
                aria-current={current === project ? 'page' : undefined}
              >
                <Icon name="folder" />
                <span class="word cut">{nameOf(project)}</span>
                <span class="count">{count(sessions)}</span>
              </a>
            ))}
            {projects.length > MOST && !isWhole ? (
              <button type="button" class="show-all" onClick={() => setIsWhole(true)}>
                All {count(projects.length)} projects
              </button>
            ) : null}
          </nav>
        )}
      </div>
      <footer class="sidebar-foot">
        <span class={`dot ${connection === 'connected' ? 'ok' : 'off'}`} />
        <span class="word grow">{CONNECTION[connection]}</span>
        <BellButton />
        <ThemeButton />
      </footer>
    </div>
  );
}

/** Offered until the user has said yes or no. */
function BellButton() {
  const [can, setCan] = useState(canNotify);
  if (can !== 'ask') return null;
  const allow = async (): Promise<void> => {
    await allowNotifications();
    setCan(canNotify());
  };
  const label = 'Notify me when a session asks';
  return (
    <button type="button" class="button plain square" aria-label={label} title={label} onClick={() => void allow()}>
      <Icon name="bell" />
    </button>
  );
}

/** The four views of a phone. */
export function BottomBar({ place, newest }: { place: PagePlace; newest: NewestSessions | undefined }) {
  if (place.view === 'session') return null;
  const asks = newest?.sessions.some(({ activity }) => activity?.kind === 'waiting');
  return (
    <nav class="bottom-bar" aria-label="Views">
      {VIEWS.map(([view, address, name, icon]) => (
        <a key={view} href={address} aria-current={place.view === view ? 'page' : undefined}>
          <Icon name={icon} />
          {view === 'sessions' && asks ? (
            <>
              <span class="dot asks" />
              <span class="said-only">One asks. </span>
            </>
          ) : null}
          {name}
        </a>
      ))}
    </nav>
  );
}

/** A session of ollm whose first prompt is on its way has no title yet. */
function titleOf({ title, agent, address }: SentSessionRow): string {
  return title !== undefined ? oneLine(title) : agent === 'ollm' ? 'New session' : oneLine(address);
}
