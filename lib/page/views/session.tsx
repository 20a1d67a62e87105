// A session: its head and two tabs.
import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo, server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { count, money } from '../model/numbers.ts';
import { modelName } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { AgentMark, Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import type { MenuMessage } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { SessionMenu } from '../parts/session-menu.tsx';
import { type PagePlace, sessionLink } from '../router.ts';
import { runCommand } from '../state/commands.ts';
import { tabGuest } from '../state/guest.ts';
import { useNewestRow } from '../state/newest.ts';
import { begunBy } from '../state/sending.ts';
import { useTitle } from '../state/title.ts';
import { Conversation } from './conversation.tsx';
import './session.css';

export function SessionView({ place }: { place: Extract<PagePlace, { view: 'session' }> }) {
  const { address, tab } = place;
  const row = useResource(address, (signal) => server.getSession({ parameters: { id: address }, signal }));
  const outline = useResource(`outline ${address}`, (signal) =>
    server.getOutline({ parameters: { id: address }, signal }),
  );
  // What changes of it in another program, or another browser.
  const newest = useNewestRow(address);
  const changes = newest && JSON.stringify([newest.title, newest.locked, newest.gone, newest.problem, newest.activity]);
  const before = useRef(changes);
  useEffect(() => {
    if (before.current !== undefined && changes !== before.current) row.reload();
    before.current = changes;
  }, [changes]);
  const [said, setSaid] = useState<MenuMessage>();
  const title = oneLine(row.value?.title ?? begunBy(address) ?? address);
  useTitle(title);

  const heading = (
    <h1 class="cut grow" dir="auto" title={title}>
      {title}
    </h1>
  );
  const back = (
    <a class="button plain square back" href="/" aria-label="Sessions">
      <Icon name="back" />
    </a>
  );

  // Without an answer the conversation stays, with its draft and with the stream that returns by itself.
  if (row.failure && row.failure.code !== 'OFFLINE' && row.value === undefined)
    return (
      <>
        <header class="session-head">
          <div class="session-title">
            {back}
            {heading}
          </div>
        </header>
        <FailureState failure={row.failure} retry={row.reload} address={address} />
      </>
    );
  const reload = (): void => {
    row.reload();
    outline.reload();
  };
  const cost = row.value?.cost;
  // The key of an encrypted session is not here.
  const isLocked = row.value?.problem === 'encrypted';
  const shown = isLocked ? 'conversation' : tab;
  return (
    <>
      <header class="session-head">
        <div class="session-title">
          {back}
          {row.value ? <AgentMark agent={row.value.agent} /> : null}
          {heading}
          {isLocked ? null : (
            <a
              class="button optional"
              href={linkTo('exportSession', { parameters: { id: address }, query: { format: 'html' } })}
              download
            >
              <Icon name="export" />
              Export
            </a>
          )}
          {tab === 'conversation' ? (
            <button
              type="button"
              class="button plain square narrow-only"
              aria-label="Outline"
              onClick={() => runCommand('o')}
            >
              <Icon name="plan" />
            </button>
          ) : null}
          <SessionMenu address={address} row={row.value} onChange={reload} onSaid={setSaid} />
        </div>
        <nav class="tabs" aria-label="Session">
          <a href={sessionLink(address)} aria-current={tab === 'conversation' ? 'page' : undefined}>
            Conversation
          </a>
          {isLocked
            ? null
            : TABS.map(([name, title]) =>
                // The server refuses the others to a guest.
                tabGuest() !== undefined && name !== 'cost' ? null : (
                  <a
                    key={name}
                    href={sessionLink(address, `?tab=${name}`)}
                    aria-current={tab === name ? 'page' : undefined}
                  >
                    {title}
                  </a>
                ),
              )}
          <span class="meta cut">
            {[row.value?.project?.split('/').at(-1), row.value?.branch, row.value?.model && modelName(row.value.model)]
              .filter((each) => each)
              .map((each) => oneLine(each!))
              .join(' · ')}
          </span>
          <span class="meta grow" />
          {outline.value ? <span class="meta">{count(outline.value.head + 1)} events</span> : null}
          {cost === undefined ? null : <span class="meta">{money(cost)}</span>}
        </nav>
      </header>
      {said === undefined ? null : (
        <Notice
          isSaid
          tone={said.isProblem ? 'danger' : 'info'}
          title={oneLine(said.text)}
          {...(said.undo === undefined ? {} : { action: 'Undo', onAction: said.undo })}
          onClose={() => setSaid(undefined)}
        />
      )}
      {shown === 'cost' ? (
        <SessionCost address={address} />
      ) : shown === 'changes' ? (
        <SessionChanges address={address} />
      ) : shown === 'time' ? (
        <SessionTime address={address} at={place.at} />
      ) : (
        <Conversation
          key={`${address} ${place.at}`}
          place={place}
          row={row.value}
          outline={outline.value}
          onChange={reload}
          onSaid={setSaid}
        />
      )}
    </>
  );
}

const SessionChanges = lazy(async () => (await import('./session-changes.tsx')).SessionChanges, { isView: true });
const SessionTime = lazy(async () => (await import('./session-time.tsx')).SessionTime, { isView: true });
const SessionCost = lazy(async () => (await import('./session-cost.tsx')).SessionCost, { isView: true });

const TABS = [
  ['changes', 'Changes'],
  ['time', 'Time'],
  ['cost', 'Cost'],
] as const;
