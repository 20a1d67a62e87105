// The page: comes in with the code of its address if there is one, then shows the view of its address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from './api/request.ts';
import type { NewestSessions } from './api/types.ts';
import { entryOf } from './model/place.ts';
import { Announcer } from './parts/announcer.tsx';
import { ErrorBoundary } from './parts/boundary.tsx';
import { ConnectionNotice } from './parts/connection-notice.tsx';
import { KeyHelp, useKeys } from './parts/keys.tsx';
import { lazy } from './parts/lazy.tsx';
import { BottomBar, Sidebar } from './parts/sidebar.tsx';
import { NeedsLink, State } from './parts/state.tsx';
import { type PagePlace, usePlace } from './router.ts';
import { rememberGuest, tabGuest } from './state/guest.ts';
import { useNewest } from './state/newest.ts';
import { useHasComposer } from './state/presence.ts';
import { NewView } from './views/new.tsx';
import { SessionView } from './views/session.tsx';
import { SessionsView } from './views/sessions.tsx';

// What is seen first, and a conversation, are in the start of the program; the other views are parts of their own.
const CostView = lazy(async () => (await import('./views/cost.tsx')).CostView);
const SearchView = lazy(async () => (await import('./views/search.tsx')).SearchView);

document.documentElement.dataset.theme = localStorage.getItem('theme') ?? '';

function Page() {
  const place = usePlace();
  const hasComposer = useHasComposer();
  const newest = useNewest();
  const [helps, setHelps] = useState(false);
  useKeys(() => setHelps((old) => !old));
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
      {helps ? <KeyHelp onClose={() => setHelps(false)} /> : null}
    </div>
  );
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
      return <CostView days={place.days} by={place.by} />;
    case 'session':
      return <SessionView place={place} />;
    default:
      return (
        <div class="view-body" tabIndex={0}>
          <State
            isPage
            icon="search"
            title="There is nothing at this address"
            actions={
              <a class="button" href="/">
                All sessions
              </a>
            }
          />
        </div>
      );
  }
}

/** Takes the code behind `#`, which works once, for a cookie; then the address says nothing of it. */
function Joining() {
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => {
    const { code, goesTo } = entryOf(new URL(location.href));
    history.replaceState(undefined, '', '/join');
    ask<{ guestOf?: string; takesPart?: boolean }>('/api/auth/code', { method: 'POST', body: { code } }).then(
      ({ guestOf, takesPart = false }) => {
        rememberGuest(guestOf === undefined ? undefined : { sessionId: guestOf, takesPart });
        location.replace(goesTo);
      },
      () => setIsRefused(true),
    );
  }, []);
  return isRefused ? (
    <main class="view-body">
      <NeedsLink />
    </main>
  ) : null;
}

const Entered = tabGuest() === undefined ? Page : GuestPage;
render(location.pathname === '/join' ? <Joining /> : <Entered />, document.getElementById('page')!);
