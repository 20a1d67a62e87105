// The events in view, with the room of those that are not loaded above and below them.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LivePartial } from '../api/live.ts';
import type { ApiError } from '../api/server.ts';
import { count } from '../model/numbers.ts';
import { visible } from '../model/visible.ts';
import { PAGE, type Pages } from '../state/pages.ts';
import type { ShownPage } from '../state/shown-pages.ts';
import type { BlockContext } from './block-context.ts';
import { EventBlock } from './event-blocks.tsx';
import { Skeleton } from './state.tsx';
import { Streaming } from './streaming.tsx';
import './flow.css';

interface Props {
  pages: Pages;
  shown: readonly ShownPage[];
  /** The first and the last page in view. */
  range: { readonly first: number; readonly last: number };
  watch: (element: HTMLElement | null) => void;
  context: BlockContext;
  /** The text under way. */
  partial: LivePartial | undefined;
  /** An answer was shown here that was not stored. */
  isCutOff: boolean;
  /** A prompt on its way. */
  sending: string | undefined;
}

export function Flow({ pages, shown, range, watch, context, partial, isCutOff, sending }: Props) {
  const isEmpty =
    pages.head === -1 ||
    (shown.length > 0 &&
      shown.length === pages.heights.count &&
      shown.every(({ isLoaded, blocks }) => isLoaded && blocks.length === 0));

  return (
    <>
      {startsWithin(shown) ? <h2 class="said-only">Further up there is more</h2> : null}
      <div class="flow-inner" {...(isEmpty ? {} : feedOf(pages.isLoading))}>
        {pages.head === undefined && pages.failure === undefined && sending === undefined ? (
          <Skeleton what="the conversation" />
        ) : null}
        {isEmpty && sending === undefined ? <p class="meta">Nothing was said here yet.</p> : null}
        <PrintedPart shown={shown} head={pages.head} />
        <Spacer height={pages.heights.before(range.first)} />
        {shown.map(({ page, blocks, isLoaded }) => (
          <div key={page} class="page-of-events" data-page={page} data-loaded={isLoaded ? '' : undefined} ref={watch}>
            {isLoaded ? (
              blocks.map((block) => <EventBlock key={`${block.kind}-${block.seq}`} block={block} context={context} />)
            ) : (
              <>
                {pages.failed.has(page) ? <NotLoaded failure={pages.failure} retry={pages.retry} /> : null}
                <Spacer height={pages.heights.at(page)} />
              </>
            )}
          </div>
        ))}
        <Spacer height={pages.heights.total - pages.heights.before(range.last + 1)} />
        <Streaming partial={partial} />
        {sending === undefined ? null : <Sending text={sending} />}
        {isCutOff ? <p class="fact warn cut-off">The end of this answer was not stored.</p> : null}
      </div>
    </>
  );
}

function Sending({ text }: { text: string }) {
  return (
    <article class="event sending" aria-label="Your prompt, on its way">
      <span class="gutter" />
      <div class="content">
        {text === '' ? null : (
          <div class="prompt-box">
            <p class="prompt-text" dir="auto">
              {visible(text)}
            </p>
          </div>
        )}
        <p class="meta">Sending…</p>
      </div>
    </article>
  );
}

function NotLoaded({ failure, retry }: { failure: ApiError | undefined; retry: () => void }) {
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

/** Without articles, it is not a feed. */
function feedOf(isLoading: boolean) {
  return { role: 'feed', 'aria-label': 'Conversation', 'aria-busy': isLoading } as const;
}

/** Headings begin with that of a prompt: a screen reader goes by their levels. */
function startsWithin(shown: readonly ShownPage[]): boolean {
  const first = shown.flatMap(({ blocks }) => blocks).find(({ kind }) => kind === 'prompt' || kind === 'reply');
  return first?.kind === 'reply';
}
