// What a view shows when it has nothing else to show: why, and what can be done.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../api/server.ts';
import { announce } from '../state/announce.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { lazy } from './lazy.tsx';

const Unlock = lazy(async () => (await import('./unlock.tsx')).Unlock);

/** `isPage`: nothing else on the page has a heading. */
export function State({
  title,
  icon = 'alert',
  children,
  command,
  actions,
  isPage = false,
}: {
  title: string;
  icon?: IconName;
  isPage?: boolean;
  children?: ComponentChildren;
  /** What to run in a terminal. */
  command?: string;
  actions?: ComponentChildren;
}) {
  return (
    <section class="state">
      <span class="state-icon">
        <Icon name={icon} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children === undefined ? null : <p>{children}</p>}
      {command === undefined ? null : (
        <div class="command">
          <code>{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </div>
      )}
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </section>
  );
}

/** `isPage`: as of `State`. `address`: the session that was asked for. */
export function FailureState({
  failure,
  retry,
  address,
  isPage = true,
}: {
  failure: ApiError;
  retry: () => void;
  address?: string;
  isPage?: boolean;
}) {
  const isByPassphrase = (failure.details as { by?: string } | undefined)?.by === 'passphrase';
  const body =
    failure.code === 'SESSION_ENCRYPTED' && isByPassphrase && address !== undefined ? (
      <State
        isPage={isPage}
        icon="lock"
        title="This session is encrypted"
        actions={<Unlock address={address} onOpen={retry} />}
      >
        ollm keeps the key in memory until you lock the session, or for 15 minutes without use. ollm cannot restore a
        lost passphrase.
      </State>
    ) : (
      stateOf(failure, retry, isPage)
    );
  return (
    <div class="view-body" tabIndex={0}>
      {body}
    </div>
  );
}

function stateOf(failure: ApiError, retry: () => void, isPage: boolean) {
  const again = (
    <button type="button" class="button" onClick={retry}>
      Try now
    </button>
  );
  switch (failure.code) {
    case 'OFFLINE':
      return (
        <State isPage={isPage} title="ollm does not answer" actions={again}>
          It was stopped, or the connection is gone. What you typed is kept here.
        </State>
      );
    case 'TOKEN_MISSING':
    case 'TOKEN_WRONG':
    case 'UNAUTHORIZED':
      return <NeedsLink isPage={isPage} />;
    case 'SESSION_NOT_FOUND':
      return (
        <State
          isPage={isPage}
          icon="search"
          title="This session is not here"
          actions={
            <a class="button" href="/">
              All sessions
            </a>
          }
        >
          It may have been moved to the trash, or its program deleted it.
        </State>
      );
    case 'SESSION_HISTORY_NOT_AVAILABLE':
      return (
        <State isPage={isPage} icon="file" title="Its program deleted the file">
          It was not imported, so nothing of it is kept here but its title.
        </State>
      );
    case 'JOURNAL_EMPTY':
      return (
        <State isPage={isPage} icon="file" title="Nothing was written here">
          The first line of this journal was never finished. Nothing in it was ever acknowledged.
        </State>
      );
    case 'SESSION_ENCRYPTED':
      return (
        <State isPage={isPage} icon="lock" title="This session is encrypted">
          A key file opens it, and this server has none. Name it as <code>retention.keyFile</code> in the configuration,
          and start the server again. ollm cannot restore a lost key file.
        </State>
      );
    default:
      return (
        <State isPage={isPage} title="This could not be shown" actions={again}>
          {failure.message} <span class="meta">({failure.code})</span>
        </State>
      );
  }
}

export function NeedsLink({ isPage = true }: { isPage?: boolean }) {
  return (
    <State isPage={isPage} icon="key" title="This page needs a new link" command="ollm open">
      The link you opened was already used, or this browser was not let in yet. Make a new one in a terminal. Where no
      server runs, <code>ollm serve --open</code> starts one and does the same.
    </State>
  );
}

/** What loads for so short a time shows nothing. */
const SHOWN_AFTER_MS = 300;

/** The room of what comes: rows of a list, or lines of text. `what`: said once to a screen reader. */
export function Skeleton({ rows = 6, areRows = false, what }: { rows?: number; areRows?: boolean; what?: string }) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setIsShown(true);
      announce(what === undefined ? 'Loading' : `Loading ${what}`);
    }, SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class={areRows ? 'skeleton-row' : undefined}>
          <div class={`skeleton width-${index % 3}`} />
        </div>
      ))}
    </div>
  );
}
