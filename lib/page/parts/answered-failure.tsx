// A failure of a server that answers: its reason, and the next step.
import type { ApiError } from '../api/server.ts';
import { type FailureProps, State, TryNow } from './state.tsx';
import { Unlock } from './unlock.tsx';

export function AnsweredFailure({ failure, retry, address, isPage = true }: FailureProps) {
  const isByPassphrase = (failure.details as { by?: string } | undefined)?.by === 'passphrase';
  return failure.code === 'SESSION_ENCRYPTED' && isByPassphrase && address !== undefined ? (
    <State
      isPage={isPage}
      icon="lock"
      title="This session is encrypted"
      actions={<Unlock address={address} onOpen={retry} />}
    >
      ollm keeps the key in memory until you lock the session, or for 15 minutes without use. ollm cannot restore a lost
      passphrase.
    </State>
  ) : (
    stateOf(failure, retry, isPage)
  );
}

function stateOf(failure: ApiError, retry: () => void, isPage: boolean) {
  switch (failure.code) {
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
        <State isPage={isPage} title="This could not be shown" actions={<TryNow retry={retry} />}>
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
