// The column of events. Pages of a hundred events are loaded where the reader is; what is not loaded has a height that
// is guessed, and corrected without moving what is read.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LivePartial } from '../api/live.ts';
import { ask, type RequestFailed, sessionPath } from '../api/request.ts';
import type { Outline, SentEvent, SessionRow } from '../api/types.ts';
import { type Block, blocksOf } from '../model/blocks.ts';
import { count } from '../model/numbers.ts';
import { Composer } from '../parts/composer.tsx';
import { type BlockContext, EventBlock } from '../parts/event-blocks.tsx';
import { agentName, Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { EventMap, OutlineList } from '../parts/outline.tsx';
import { Prose } from '../parts/prose.tsx';
import { Question } from '../parts/question.tsx';
import { FailureState, Skeleton } from '../parts/state.tsx';
import { go, type Place, sessionLink } from '../router.ts';
import { useColumn } from '../state/column.ts';
import { useLive } from '../state/live.ts';
import { PAGE, type Pages, usePages } from '../state/pages.ts';

interface Props {
  place: Extract<Place, { view: 'session' }>;
  row: SessionRow | undefined;
  outline: Outline | undefined;
  onChange: () => void;
}

export function Conversation({ place, row, outline, onChange }: Props) {
  const { address, at } = place;
  const pages = usePages(address, at);
  const live = useLive(address, at === undefined, pages, onChange);
  const flow = useRef<HTMLDivElement>(null);
  const column = useColumn(flow, pages, place.jump);
  const [unfolded] = useState(() => new Map<string, boolean>());
  const context: BlockContext = {
    speaker: agentName(row?.agent ?? 'ollm'),
    target: place.jump,
    unfolded: { has: (id) => unfolded.get(id), set: (id, isOpen) => void unfolded.set(id, isOpen) },
    onJump: column.jump,
  };
  const shown = useMemo(
    () => shownBlocks(pages, column.first, column.last, outline),
    [pages.version, column.first, column.last, outline],
  );

  if (pages.failure !== undefined && pages.head === undefined)
    return <FailureState failure={pages.failure} retry={pages.retry} />;
  const firstDamage = outline?.damage[0];
  return (
    <>
      {at === undefined ? null : (
        <Notice
          tone="info"
          title={`As it was after event ${count(at)}.`}
          action="Back to now"
          onAction={() => go(sessionLink(address))}
        >
          {outline && outline.head > at ? `${count(outline.head - at)} later events are hidden.` : ''}
        </Notice>
      )}
      {firstDamage === undefined ? null : (
        <Notice
          tone="danger"
          title={`This journal is damaged in ${outline!.damage.length === 1 ? 'one place' : `${count(outline!.damage.length)} places`}.`}
          action="Go there"
          onAction={() => column.jump(Math.max(0, firstDamage.after))}
        >
          Everything else is as it was written.
        </Notice>
      )}
      <div class="session-body">
        <div class="session-column">
          <div class="flow" ref={flow} onScroll={column.onScroll} id="conversation" tabIndex={-1}>
            <div class="flow-inner" role="feed" aria-label="Conversation" aria-busy={pages.isLoading}>
              {pages.head === undefined && pages.failure === undefined ? <Skeleton /> : null}
              {pages.head === -1 ? <p class="meta">Nothing was said here yet.</p> : null}
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
              {at === undefined ? (
                <Composer address={address} row={row} live={live} />
              ) : (
                <button
                  type="button"
                  class="button main"
                  onClick={async () => {
                    const made = await ask<{ sessionId: string }>(sessionPath(address, '/fork'), {
                      method: 'POST',
                      body: { at },
                    });
                    go(sessionLink(made.sessionId));
                  }}
                >
                  <Icon name="fork" /> Fork from here
                </button>
              )}
            </div>
          </div>
        </div>
        {outline ? (
          <aside class="rail" aria-label="Outline">
            <OutlineList outline={outline} current={column.current} address={address} onJump={column.jump} />
            <EventMap outline={outline} view={column.view} onJump={column.jump} />
          </aside>
        ) : null}
      </div>
    </>
  );
}

function NotLoaded({ failure, retry }: { failure: RequestFailed | undefined; retry: () => void }) {
  return (
    <p class="fact warn" role="alert">
      These events could not be loaded. {failure?.message}{' '}
      <button type="button" class="show-all" onClick={retry}>
        Try now
      </button>
    </p>
  );
}

function Spacer({ height }: { height: number }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.style.height = `${Math.max(0, height)}px`;
  });
  return <div ref={box} aria-hidden="true" />;
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
