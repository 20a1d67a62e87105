// A failure of a server that answers: its reason, and the next step.
import type { ComponentProps } from 'preact';
import { wordsOfError } from '../api/server.ts';
import { AllSessions, type FailureProps, State, TryNow } from './state.tsx';
import { Unlock } from './unlock.tsx';

export function AnsweredFailure({ failure, retry, address, isPage }: FailureProps) {
  const isByPassphrase = (failure.details as { by?: string } | undefined)?.by === 'passphrase';
  if (failure.code === 'SESSION_ENCRYPTED' && isByPassphrase && address !== undefined)
    return (
      <State
        isPage={isPage}
        icon="lock"
        title="This session is encrypted"
        actions={<Unlock address={address} onOpen={retry} />}
      >
        ollm keeps the key in memory until you lock the session, or for 15 minutes without use. ollm cannot restore a
        lost passphrase.
      </State>
    );
  if (NEEDS_LINK.includes(failure.code)) return <NeedsLink isPage={isPage} />;
  const state = STATES[failure.code] ?? {
    title: 'This could not be shown',
    actions: <TryNow retry={retry} />,
    children: [`${wordsOfError(failure)} `, <span class="meta">({failure.code})</span>],
  };
  return <State isPage={isPage} {...state} />;
}

const NEEDS_LINK = ['TOKEN_MISSING', 'TOKEN_WRONG', 'UNAUTHORIZED'];

const STATES: Readonly<Record<string, ComponentProps<typeof State>>> = {
  SESSION_NOT_FOUND: {
    icon: 'search',
    title: 'This session is not here',
    actions: <AllSessions />,
    children: 'It may have been moved to the trash, or its program deleted it.',
  },
  SESSION_HISTORY_NOT_AVAILABLE: {
    icon: 'file',
    title: 'Its program deleted the file',
    children: 'It was not imported, so nothing of it is kept here but its title.',
  },
  JOURNAL_EMPTY: {
    icon: 'file',
    title: 'Nothing was written here',
    children: 'The first line of this journal was never finished. Nothing in it was ever acknowledged.',
  },
  SESSION_ENCRYPTED: {
    icon: 'lock',
    title: 'This session is encrypted',
    children: [
      'A key file opens it, and this server has none. Name it as ',
      <code>retention.keyFile</code>,
      ' in the configuration, and start the server again. ollm cannot restore a lost key file.',
    ],
  },
};

export function NeedsLink({ isPage }: { isPage?: boolean | undefined }) {
  return (
    <State isPage={isPage} icon="key" title="This page needs a new link" command="ollm open">
      The link you opened was already used, or this browser was not let in yet. Make a new one in a terminal. Where no
      server runs, <code>ollm serve --open</code> starts one and does the same.
    </State>
  );
}
