// The column of events. Pages of a hundred events are loaded where the reader is; the other pages have a height that
// is guessed, and corrected without moving the lines in view.
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Outline, SentSessionRow } from '../api/types.ts';
import { count } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import type { BlockContext } from '../parts/block-context.ts';
import { Composer } from '../parts/composer.tsx';
import { Dock } from '../parts/dock.tsx';
import { useEventActions } from '../parts/event-actions.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { Flow } from '../parts/flow.tsx';
import { agentName, Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import type { MenuMessage } from '../parts/menu.tsx';
import { EventMap, OutlineList } from '../parts/outline.tsx';
import { useTurns } from '../parts/turn-actions.tsx';
import type { PagePlace } from '../router.ts';
import { useAnswering } from '../state/agents.ts';
import { useAttempt } from '../state/attempt.ts';
import { useColumn } from '../state/column.ts';
import { useConversationKeys } from '../state/conversation-keys.ts';
import { useEncrypted } from '../state/encrypted.ts';
import { useFindKeys } from '../state/find-keys.ts';
import { tabGuest } from '../state/guest.ts';
import { useHolder } from '../state/held.ts';
import { noteReading, readingKept } from '../state/kept-place.ts';
import { useLive } from '../state/live.ts';
import { usePages } from '../state/pages.ts';
import { type SentPrompt, useSending } from '../state/sending.ts';
import { type ShownPage, shownPages } from '../state/shown-pages.ts';
import { useAsking } from '../state/title.ts';
import './session.css';

const FindBar = lazy(async () => (await import('../parts/find-bar.tsx')).FindBar);
const SessionNotices = lazy(async () => (await import('../parts/session-notices.tsx')).SessionNotices);
const GuestComposer = lazy(async () => (await import('../parts/guest-composer.tsx')).GuestComposer);
const OutlineSheet = lazy(async () => (await import('../parts/outline-sheet.tsx')).OutlineSheet);

interface Props {
  place: Extract<PagePlace, { view: 'session' }>;
  row: SentSessionRow | undefined;
  outline: Outline | undefined;
  onChange: () => void;
  onSaid: (said: MenuMessage) => void;
}

export function Conversation({ place, row, outline, onChange, onSaid }: Props) {
  const { address, at } = place;
  const guest = tabGuest();
  const pages = usePages(address, at);
  const speaker = agentName(row?.agent ?? 'ollm');
  const live = useLive(address, at === undefined, pages, { speaker, onChange });
  const flow = useRef<HTMLDivElement>(null);
  const rail = useRef<HTMLElement>(null);
  const [kept] = useState(() => (at === undefined ? readingKept(address) : undefined));
  const column = useColumn(flow, pages, {
    jump: place.jump,
    kept,
    onRead: (reading) => at === undefined && noteReading(address, reading),
  });
  const [unfolded] = useState(() => new Map<string, boolean>());
  const find = useFindKeys(FindBar.preload);
  const [found, setFound] = useState<number>();
  const [isSheet, setIsSheet] = useState(false);
  const holder = useHolder(address, row);
  const { attempt, problem } = useAttempt();
  useAsking(
    'conversation',
    live.questions.length > 0 ? [[row?.address ?? address, oneLine(row?.title ?? address)]] : [],
  );
  useConversationKeys({
    flow,
    rail,
    openOutline: () => setIsSheet(true),
    goTo: (place) => (place === 'first' ? column.jump(0) : column.toEnd()),
    find: find.open,
  });
  useEncrypted(address, row, pages);
  const answering = useAnswering(guest === undefined ? address : '', pages, live.isLed);
  const canReturn = !address.includes(':') && at === undefined && holder === undefined;
  const { forkAt, actionsAt, returnTo } = useEventActions(address, { at, attempt, onSaid, onChange });
  const sending = useSending(address, pages, live);
  /** A prompt that is sent comes into view, wherever the reader was. */
  const onSend = (text: string): SentPrompt => {
    column.toEnd();
    return sending.begin(text);
  };
  const isIdle = live.activity === undefined && sending.text === undefined;
  const turns = useTurns(address, { isIdle, outline, attempt, onSend, onChange, onJump: column.jump });
  const shown = useMemo(() => shownPages(pages, column, outline), [pages.version, column.first, column.last, outline]);
  const context: BlockContext = {
    address,
    speaker,
    events: (pages.head ?? -1) + 1,
    target: found ?? place.jump,
    unfolded: { has: (id) => unfolded.get(id), set: (id, isOpen) => void unfolded.set(id, isOpen) },
    onJump: column.jump,
    actionsAt,
    onReturn: canReturn ? returnTo : undefined,
    turns: canReturn && guest === undefined ? turns : undefined,
    lastEnd: lastEndOf(shown),
  };

  if (pages.failure !== undefined && pages.head === undefined)
    return (
      <FailureState
        failure={pages.failure}
        retry={() => {
          pages.retry();
          onChange();
        }}
        address={address}
      />
    );
  return (
    <>
      {at !== undefined || outline?.damage.length || holder !== undefined || row?.gone === true ? (
        <SessionNotices address={address} at={at} row={row} outline={outline} holder={holder} onJump={column.jump} />
      ) : null}
      {find.begin === undefined ? null : (
        <FindBar
          address={address}
          flow={flow}
          begin={find.begin}
          current={column.current}
          onPlace={(seq) => {
            setFound(seq);
            column.jump(seq);
          }}
          onClose={() => {
            find.open(undefined);
            setFound(undefined);
            flow.current?.focus();
          }}
        />
      )}
      <div class="session-body">
        <div class="session-column">
          <div class="flow" ref={flow} onScroll={column.onScroll} id="conversation" tabIndex={0}>
            <Flow
              pages={pages}
              shown={shown}
              range={column}
              watch={column.watch}
              context={context}
              partial={at === undefined ? live.partial : undefined}
              isCutOff={live.isCutOff}
              sending={sending.text}
            />
          </div>
          {column.newBelow > 0 ? (
            <button type="button" class="new-below" onClick={column.toEnd}>
              <Icon name="down" /> {count(column.newBelow)} new
            </button>
          ) : null}
          <Dock
            isRunning={live.activity !== undefined}
            problem={problem}
            questions={live.questions}
            address={address}
            speaker={speaker}
          >
            {guest !== undefined ? (
              <GuestComposer address={address} />
            ) : at === undefined ? (
              <Composer
                address={address}
                row={row}
                live={live}
                window_={outline?.window}
                answering={answering}
                isHeld={holder !== undefined && !live.isLed}
                onChange={(isOther = false) => {
                  if (isOther) pages.restart();
                  onChange();
                }}
                onFind={() => find.open('')}
                onSend={onSend}
              />
            ) : (
              <button type="button" class="button main" onClick={() => void forkAt(at)}>
                <Icon name="fork" /> Fork from here
              </button>
            )}
          </Dock>
        </div>
        {/* It has its room from the start: what is read would become narrower when the outline comes. */}
        <aside ref={rail} class="rail" aria-label="Outline">
          {outline ? (
            <>
              <OutlineList outline={outline} current={column.current} at={at} onJump={column.jump} />
              <EventMap outline={outline} view={column.view} at={at} onJump={column.jump} />
            </>
          ) : null}
        </aside>
      </div>
      {isSheet ? (
        <OutlineSheet
          outline={outline}
          current={column.current}
          at={at}
          onJump={column.jump}
          onClose={() => setIsSheet(false)}
        />
      ) : null}
    </>
  );
}

/** The end of the newest turn, unless a later one has begun. */
function lastEndOf(shown: readonly ShownPage[]): number | undefined {
  const blocks = shown.flatMap((page) => page.blocks);
  const last = blocks.findLast(({ kind }) => kind === 'end' || kind === 'turn' || kind === 'prompt');
  return last?.kind === 'end' ? last.seq : undefined;
}
