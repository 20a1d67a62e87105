// What a view shows when it has nothing else to show: why, and what can be done.
import type { ComponentChildren } from 'preact';
import type { RequestFailed } from '../api/request.ts';
import { CopyButton } from './copy-button.tsx';

/** `isPage`: nothing else on the page has a heading. */
export function State({
  title,
  children,
  actions,
  isPage = false,
}: {
  title: string;
  isPage?: boolean;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <section class="state">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </section>
  );
}

/** `isPage`: as of `State`. */
export function FailureState({
  failure,
  retry,
  isPage = true,
}: {
  failure: RequestFailed;
  retry: () => void;
  isPage?: boolean;
}) {
  const body = stateOf(failure, retry, isPage);
  return (
    <div class="view-body" tabIndex={0}>
      {body}
    </div>
  );
}

function stateOf(failure: RequestFailed, retry: () => void, isPage: boolean) {
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
      return <NeedsLink />;
    case 'SESSION_NOT_FOUND':
      return (
        <State
          isPage={isPage}
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
        <State isPage={isPage} title="Its program deleted the file">
          It was not imported, so nothing of it is kept here but its title.
        </State>
      );
    case 'JOURNAL_EMPTY':
      return (
        <State isPage={isPage} title="Nothing was written here">
          The first line of this journal was never finished. Nothing in it was ever acknowledged.
        </State>
      );
    case 'SESSION_ENCRYPTED':
    case 'PASSPHRASE_MISSING':
    case 'KEY_MISSING':
      return (
        <State
          isPage={isPage}
          title="This session is encrypted"
          actions={<CopyButton text="ollm repl --resume" label="Copy the command" />}
        >
          This server does not have its key. Open it in a terminal with its passphrase: <code>ollm repl --resume</code>,
          or name the key file in <code>retention.keyFile</code>. A lost passphrase cannot be restored.
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

export function NeedsLink() {
  return (
    <State
      isPage
      title="This page needs a new link"
      actions={<CopyButton text="ollm serve --open" label="Copy the command" />}
    >
      The link you opened was already used, or this browser was not let in yet. Make a new one in a terminal:{' '}
      <code>ollm serve --open</code>
    </State>
  );
}

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class={`skeleton width-${index % 3}`} />
      ))}
    </div>
  );
}
