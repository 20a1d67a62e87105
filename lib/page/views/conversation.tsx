// The column of events. Pages of a hundred events are loaded where the reader is; what is not loaded has a height that
// is guessed, and corrected without moving what is read.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LivePartial } from '../api/live.ts';
import { ask, type RequestFailed, sessionPath } from '../api/request.ts';
import type { Outline, SentEvent, SessionRow } from '../api/types.ts';
import { type Block, blocksOf } from '../model/blocks.ts';
import { count } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import { Composer } from '../parts/composer.tsx';
import { type BlockContext, EventBlock } from '../parts/event-blocks.tsx';
import { FindBar } from '../parts/find-bar.tsx';
import { agentName, Icon } from '../parts/icon.tsx';
import { TO_CONVERSATION, type ToConversation } from '../parts/keys.tsx';
import { EventMap, OutlineList } from '../parts/outline.tsx';
import { OutlineSheet } from '../parts/outline-sheet.tsx';
import { Problem } from '../parts/problem.tsx';
import { Prose } from '../parts/prose.tsx';
import { Question } from '../parts/question.tsx';
import type { Said } from '../parts/session-menu.tsx';
import { SessionNotices } from '../parts/session-notices.tsx';
import { FailureState, Skeleton } from '../parts/state.tsx';
import { go, type Place, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import { useAttempt } from '../state/attempt.ts';
import { useColumn } from '../state/column.ts';
import { keepInMemory } from '../state/draft.ts';
import { useHolder } from '../state/held.ts';
import { useLive } from '../state/live.ts';
import { PAGE, type Pages, usePages } from '../state/pages.ts';
import { useAsking } from '../state/title.ts';

interface Props {
  place: Extract<Place, { view: 'session' }>;
  row: SessionRow | undefined;
  outline: Outline | undefined;
  onChange: () => void;
  onSaid: (said: Said) => void;
}

export function Conversation({ place, row, outline, onChange, onSaid }: Props) {
  const { address, at } = place;
  const pages = usePages(address, at);
  const speaker = agentName(row?.agent ?? 'ollm');
  const live = useLive(address, at === undefined, pages, { speaker, onChange });
  const flow = useRef<HTMLDivElement>(null);
  const column = useColumn(flow, pages, place.jump);
  const [unfolded] = useState(() => new Map<string, boolean>());
  /** What the search of this session begins with; undefined while it is closed. */
  const [finds, setFinds] = useState<string>();
  const [found, setFound] = useState<number>();
  const [isSheet, setIsSheet] = useState(false);
  const holder = useHolder(address, row);
  const { attempt, problem } = useAttempt();
  const isOwn = !address.includes(':');
  useAsking('conversation', live.questions.length > 0 ? oneLine(row?.title ?? address) : undefined);
  useFindKey(setFinds);
  useEffect(() => {
    const onMessage = (event: Event): void => {
      const { goTo, find, outline: isOutline } = (event as CustomEvent<ToConversation>).detail;
      if (isOutline) setIsSheet(true);
      if (goTo === 'first') column.jump(0);
      if (goTo === 'newest') column.toEnd();
      if (find !== undefined) setFinds(find);
    };
    addEventListener(TO_CONVERSATION, onMessage);
    return () => removeEventListener(TO_CONVERSATION, onMessage);
  });
  const isLocked = row?.problem === 'encrypted';
  // It was locked, perhaps in another window: what is shown of it goes.
  useEffect(() => {
    if (isLocked && pages.head !== undefined) pages.restart();
  }, [isLocked]);
  useEffect(() => {
    if (row?.unlocked === true) keepInMemory(address);
  }, [row?.unlocked]);
  const forkAt = (seq: number): Promise<void> =>
    attempt(async () => {
      const body = { at: seq };
      const made = await ask<{ sessionId: string }>(sessionPath(address, '/fork'), { method: 'POST', body });
      go(sessionLink(made.sessionId));
    });
  const copyLink = async (seq: number): Promise<void> => {
    const link = location.origin + sessionLink(address, `#${seq}`);
    try {
      await navigator.clipboard.writeText(link);
      announce('Its link is copied.');
      onSaid({ isProblem: false, text: 'Its link is copied.' });
    } catch {
      onSaid({ isProblem: true, text: `The browser does not let it be copied: ${link}` });
    }
  };
  const context: BlockContext = {
    address,
    speaker,
    events: (pages.head ?? -1) + 1,
    target: found ?? place.jump,
    unfolded: { has: (id) => unfolded.get(id), set: (id, isOpen) => void unfolded.set(id, isOpen) },
    onJump: column.jump,
    actionsAt: (seq) => [
      { label: 'Copy link', onPick: () => void copyLink(seq) },
      ...(at === seq ? [] : [{ label: 'As it was here', href: sessionLink(address, `?at=${seq}`) }]),
      { label: 'Fork from here', onPick: () => void forkAt(seq) },
    ],
    onReturn:
      isOwn && at === undefined && holder === undefined
        ? (seq) =>
            void attempt(async () => {
              await ask(sessionPath(address, '/branch'), { method: 'POST', body: { seq } });
              onChange();
            })
        : undefined,
  };
  const shown = useMemo(
    () => shownBlocks(pages, column.first, column.last, outline),
    [pages.version, column.first, column.last, outline],
  );

  const isEmpty =
    pages.head === -1 ||
    (shown.length > 0 &&
      shown.length === pages.heights.count &&
      shown.every(({ isLoaded, blocks }) => isLoaded && blocks.length === 0));

  if (pages.failure !== undefined && pages.head === undefined)
    return (
      <FailureState
        failure={pages.failure}
        retry={() => {
          pages.retry();
          onChange();
        }}
        address={address}
        isPage={false}
      />
    );
  return (
    <>
      <SessionNotices address={address} at={at} row={row} outline={outline} holder={holder} onJump={column.jump} />
      {finds === undefined ? null : (
        <FindBar
          address={address}
          begin={finds}
          current={column.current}
          onPlace={(seq) => {
            setFound(seq);
            column.jump(seq);
          }}
          onClose={() => {
            setFinds(undefined);
            setFound(undefined);
            flow.current?.focus();
          }}
        />
      )}
      <div class="session-body">
        <div class="session-column">
          <div class="flow" ref={flow} onScroll={column.onScroll} id="conversation" tabIndex={0}>
            {startsWithin(shown) ? <h2 class="said-only">Further up there is more</h2> : null}
            <div class="flow-inner" {...(isEmpty ? {} : feedOf(pages.isLoading))}>
              {pages.head === undefined && pages.failure === undefined ? <Skeleton what="the conversation" /> : null}
              {isEmpty ? <p class="meta">Nothing was said here yet.</p> : null}
              <PrintedPart shown={shown} head={pages.head} />
              <Spacer height={pages.heights.before(column.first)} />
              {shown.map(({ page, blocks, isLoaded }) => (
                <div
                  key={page}
                  class="page-of-events"
                  data-page={page}
                  data-loaded={isLoaded ? '' : undefined}
                  ref={column.watch}
                >
                  {isLoaded ? (
                    blocks.map((block) => (
                      <EventBlock key={`${block.kind}-${block.seq}`} block={block} context={context} />
                    ))
                  ) : (
                    <>
                      {pages.failed.has(page) ? <NotLoaded failure={pages.failure} retry={pages.retry} /> : null}
                      <Spacer height={pages.heights.at(page)} />
                    </>
                  )}
                </div>
              ))}
              <Spacer height={pages.heights.total - pages.heights.before(column.last + 1)} />
              {at === undefined ? <Streaming partial={live.partial} /> : null}
            </div>
          </div>
          {column.newBelow > 0 ? (
            <button type="button" class="new-below" onClick={column.toEnd}>
              <Icon name="down" /> {count(column.newBelow)} new
            </button>
          ) : null}
          <div class="dock">
            <div class="dock-inner">
              {live.questions.map((question) => (
                <Question key={question.id} question={question} address={address} speaker={context.speaker} />
              ))}
              <Problem text={problem} />
              {at === undefined ? (
                <Composer
                  address={address}
                  row={row}
                  live={live}
                  window_={outline?.window}
                  isHeld={holder !== undefined}
                  onChange={onChange}
                  onFind={() => setFinds('')}
                />
              ) : (
                <button type="button" class="button main" onClick={() => void forkAt(at)}>
                  <Icon name="fork" /> Fork from here
                </button>
              )}
            </div>
          </div>
        </div>
        {/* It has its room from the start: what is read would become narrower when the outline comes. */}
        <aside class="rail" aria-label="Outline">
          {outline ? (
            <>
              <OutlineList outline={outline} current={column.current} onJump={column.jump} />
              <EventMap outline={outline} view={column.view} onJump={column.jump} />
            </>
          ) : null}
        </aside>
      </div>
      {isSheet ? (
        <OutlineSheet
          outline={outline}
          current={column.current}
          onJump={column.jump}
          onClose={() => setIsSheet(false)}
        />
      ) : null}
    </>
  );
}

/** Opens the search of this session; pressed again there, the keys are the browser's. */
function useFindKey(open: (text: string) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if ((event.target as Element).closest?.('.find-bar')) return;
      event.preventDefault();
      open('');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function NotLoaded({ failure, retry }: { failure: RequestFailed | undefined; retry: () => void }) {
  return (
    <article class="fact warn" aria-label="Not loaded">
      These events could not be loaded. {failure?.message}{' '}
      <button type="button" class="show-all" onClick={retry}>
        Try now
      </button>
    </article>
  );
}

function Spacer({ height }: { height: number }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.style.height = `${Math.max(0, height)}px`;
  });
  return <div ref={box} class="spacer" aria-hidden="true" />;
}

/** On paper only: which events are there, where that is not all of them. */
function PrintedPart({ shown, head }: { shown: readonly ShownPage[]; head: number | undefined }) {
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last || head === undefined) return null;
  const [from, to] = [first.page * PAGE, Math.min(head, (last.page + 1) * PAGE - 1)];
  if (from === 0 && to === head) return null;
  return (
    <p class="printed-part">
      Only events {count(from)} to {count(to)} are on paper here. The session has {count(head + 1)}: its export has them
      all.
    </p>
  );
}

function Streaming({ partial }: { partial: LivePartial | undefined }) {
  if (partial === undefined || (!partial.text && !partial.reasoning)) return null;
  return (
    <div class="event streaming" aria-hidden="true">
      <span class="gutter" />
      <div class="content">
        {partial.text ? (
          <Prose text={partial.text} />
        ) : (
          <p class="reasoning-line meta">Reasoning, {count(partial.reasoning!.length)} characters</p>
        )}
        <span class="caret" />
      </div>
    </div>
  );
}

/** A feed has articles: where there are none, it is none. */
function feedOf(isLoading: boolean) {
  return { role: 'feed', 'aria-label': 'Conversation', 'aria-busy': isLoading } as const;
}

/** Headings begin with that of a prompt: a screen reader goes by their levels. */
function startsWithin(shown: readonly ShownPage[]): boolean {
  const first = shown.flatMap(({ blocks }) => blocks).find(({ kind }) => kind === 'prompt' || kind === 'reply');
  return first?.kind === 'reply';
}

interface ShownPage {
  readonly page: number;
  readonly isLoaded: boolean;
  readonly blocks: readonly Block[];
}

/** Blocks of the pages in view. They are made of all of them at once: a call may begin on one and end on the next. */
function shownBlocks(pages: Pages, first: number, last: number, outline: Outline | undefined): ShownPage[] {
  const events: SentEvent[] = [];
  const damage = [];
  const shown: { page: number; isLoaded: boolean; blocks: Block[] }[] = [];
  for (let page = first; page <= Math.min(last, pages.heights.count - 1); page += 1) {
    const loaded = pages.loaded.get(page);
    shown.push({ page, isLoaded: loaded !== undefined, blocks: [] });
    events.push(...(loaded?.events ?? []));
    damage.push(...(loaded?.damage ?? []));
  }
  for (const block of blocksOf(events, { undone: outline?.undone ?? [], damage })) {
    const page = Math.floor(Math.max(0, block.seq) / PAGE);
    (shown.find((each) => each.page === page) ?? shown[0])?.blocks.push(block);
  }
  return shown;
}
