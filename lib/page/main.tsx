// The page: comes in with the code of its address if there is one, then shows the view of its address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { server } from './api/server.ts';
import type { NewestSessions } from './api/types.ts';
import { entryOf } from './model/place.ts';
import { Announcer } from './parts/announcer.tsx';
import { ErrorBoundary } from './parts/boundary.tsx';
import { ConnectionNotice } from './parts/connection-notice.tsx';
import { useKeys } from './parts/keys.ts';
import { lazy } from './parts/lazy.tsx';
import { BottomBar, Sidebar } from './parts/sidebar.tsx';
import { AllSessions, State } from './parts/state.tsx';
import { switchTheme } from './parts/theme-button.tsx';
import { go, type PagePlace, usePlace } from './router.ts';
import { type PageCommand, useCommands } from './state/commands.ts';
import { rememberGuest, tabGuest } from './state/guest.ts';
import { useLatePart } from './state/late-part.ts';
import { useNewest } from './state/newest.ts';
import { allowNotifications, canNotify } from './state/notifications.ts';
import { useHasComposer } from './state/presence.ts';

// The frame is the start of the program; each view is a part of its own. That of the address is fetched at once.
const loadSession = async () => (await import('./views/session.tsx')).SessionView;
const loadSessions = async () => (await import('./views/sessions.tsx')).SessionsView;
const loadNew = async () => (await import('./views/new.tsx')).NewView;
const loadAhead = { '/': loadSessions, '/new': loadNew }[location.pathname];
// A part that is missing is reported by its view.
(location.pathname.startsWith('/s/') ? loadSession : loadAhead)?.().catch(() => {});
const VIEW = { isView: true };
const SessionView = lazy(loadSession, VIEW);
const SessionsView = lazy(loadSessions, VIEW);
const NewView = lazy(loadNew, VIEW);
const CostView = lazy(async () => (await import('./views/cost.tsx')).CostView, VIEW);
const YearView = lazy(async () => (await import('./views/year.tsx')).YearView, VIEW);
const CompareView = lazy(async () => (await import('./views/compare.tsx')).CompareView, VIEW);
const SearchView = lazy(async () => (await import('./views/search.tsx')).SearchView, VIEW);
const KeyHelp = lazy(async () => (await import('./parts/key-help.tsx')).KeyHelp);
const NeedsLink = lazy(async () => (await import('./parts/answered-failure.tsx')).NeedsLink);
const Palette = lazy(async () => (await import('./parts/palette.tsx')).Palette);

document.documentElement.dataset.theme = localStorage.getItem('theme') ?? '';

function Page() {
  const place = usePlace();
  const hasComposer = useHasComposer();
  const newest = useNewest();
  const [helps, setHelps] = useState(false);
  const palette = useLatePart(Palette.preload);
  useKeys(() => palette.open(palette.isWanted ? undefined : ''));
  useCommands(commandsOfPage(() => setHelps((old) => !old)));
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {place.view === 'session' ? 'Skip to conversation' : 'Skip to content'}
      </a>
      {hasComposer ? (
        <a class="skip" href="#composer">
          Skip to composer
        </a>
      ) : null}
      <Sidebar place={place} newest={newest} />
      <main id="main">
        <ErrorBoundary key={location.pathname}>
          <View place={place} newest={newest} />
        </ErrorBoundary>
        <ConnectionNotice />
      </main>
      <BottomBar place={place} newest={newest} />
      <Announcer />
      {palette.begin === undefined ? null : (
        <Palette newest={newest} begin={palette.begin} onClose={() => palette.open(undefined)} />
      )}
      {helps ? <KeyHelp onClose={() => setHelps(false)} /> : null}
    </div>
  );
}

/** The commands of every view. */
function commandsOfPage(onHelp: () => void): readonly PageCommand[] {
  const leads = (address: string) => (): void => go(address);
  return [
    { title: 'Search', keys: '/', run: leads('/search') },
    { title: 'Sessions', keys: 'g s', run: leads('/') },
    { title: 'New session', keys: 'n', run: leads('/new') },
    { title: 'Cost', keys: 'g c', run: leads('/cost') },
    { title: 'A year with your agents', keys: 'g y', run: leads('/year') },
    { title: 'Two sessions side by side', run: leads('/compare') },
    { title: 'Light or dark', run: switchTheme },
    ...(canNotify() === 'ask'
      ? [{ title: 'Notify me when a session asks', run: () => void allowNotifications() }]
      : []),
    { title: 'Keys', keys: '?', run: onHelp },
  ];
}

/** A guest reads the session of the link, or takes part in it: the server refuses all else. */
function GuestPage() {
  const place = usePlace();
  return (
    <div class={tabGuest()?.takesPart ? 'shell guest takes-part' : 'shell guest'}>
      <main id="main">
        <ErrorBoundary key={location.pathname}>
          <View place={place} newest={undefined} />
        </ErrorBoundary>
        <ConnectionNotice />
      </main>
      <Announcer />
    </div>
  );
}

function View({ place, newest }: { place: PagePlace; newest: NewestSessions | undefined }) {
  switch (place.view) {
    case 'sessions':
      return <SessionsView filter={place} newest={newest} />;
    case 'search':
      return <SearchView query={place.query} />;
    case 'new':
      return <NewView />;
    case 'cost':
      return <CostView place={place} />;
    case 'year':
      return <YearView project={place.project} />;
    case 'compare':
      return <CompareView first={place.first} second={place.second} />;
    case 'session':
      return <SessionView place={place} />;
    default:
      return (
        <div class="view-body" tabIndex={0}>
          <State isPage icon="search" title="There is nothing at this address" actions={<AllSessions />} />
        </div>
      );
  }
}

/** Exchanges the code after `#`, which works once, for a cookie, and removes it from the address. */
function Joining() {
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => {
    const { code, goesTo } = entryOf(new URL(location.href));
    history.replaceState(undefined, '', '/join');
    server.enter({ body: { code } }).then(
      ({ guestOf, takesPart = false }) => {
        rememberGuest(guestOf === undefined ? undefined : { sessionId: guestOf, takesPart });
        location.replace(goesTo);
      },
      () => setIsRefused(true),
    );
  }, []);
  return isRefused ? (
    <main class="view-body">
      <NeedsLink isPage />
    </main>
  ) : null;
}

const Entered = tabGuest() === undefined ? Page : GuestPage;
const container = document.getElementById('page')!;
// The frame of the document stays where the first view draws nothing.
container.replaceChildren();
render(location.pathname === '/join' ? <Joining /> : <Entered />, container);
