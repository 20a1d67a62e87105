// The prompts of a session, and its map: one row for each stretch of events.
import { Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { MapRow, Outline } from '../api/types.ts';
import { clock, count, exactTime, shortDay } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import './outline.css';

interface ListProps {
  outline: Outline;
  /** The event at the top of the view. */
  current: number;
  /** The session is shown as it was after this event. */
  at: number | undefined;
  onJump: (seq: number) => void;
}

/** More prompts than these are not listed: the map leads there. */
const MOST = 1000;

export function OutlineList({ outline, current, at = Number.POSITIVE_INFINITY, onJump }: ListProps) {
  const entries = [
    ...outline.prompts.slice(-MOST).map((prompt) => ({ ...prompt, isCompaction: false as const })),
    ...outline.compactions.map((compaction) => ({ ...compaction, isCompaction: true as const })),
  ].sort((a, b) => a.seq - b.seq);
  const now = outline.prompts.findLast(({ seq }) => seq <= current)?.seq;
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // The list stays where it is while the pointer is over it.
    if (list.current?.matches(':hover')) return;
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [now]);
  const today = new Date();
  const days = daysOf(entries, today);
  return (
    <nav ref={list} class="outline" aria-label="Prompts">
      <p class="label">
        <span>Prompts</span>
        <span>{count(outline.prompts.length)}</span>
      </p>
      {outline.prompts.length > MOST ? (
        <p class="day">The last {count(MOST)} are listed. The map leads to all.</p>
      ) : null}
      {entries.map((entry) =>
        entry.isCompaction ? (
          <p key={entry.seq} class="compacted">
            compacted
          </p>
        ) : (
          <Fragment key={entry.seq}>
            {days.has(entry.seq) ? <p class="day">{days.get(entry.seq)}</p> : null}
            <a
              href={`#${entry.seq}`}
              class={[entry.isUndone ? 'undone-prompt' : '', entry.seq > at ? 'later' : ''].join(' ').trim()}
              aria-current={entry.seq === now ? 'location' : undefined}
              onClick={() => onJump(entry.seq)}
            >
              {entry.ts === undefined ? null : (
                <time dateTime={entry.ts} title={exactTime(new Date(entry.ts))}>
                  {clock(new Date(entry.ts))}
                </time>
              )}
              <span dir="auto">{oneLine(entry.text)}</span>
            </a>
          </Fragment>
        ),
      )}
    </nav>
  );
}

/** The days as headings, each above the first prompt of the day; none where all prompts are of today. */
function daysOf(
  entries: readonly { seq: number; ts?: string | undefined }[],
  today: Date,
): ReadonlyMap<number, string> {
  const days = new Map<number, string>();
  let before = today.toDateString();
  for (const { seq, ts } of entries) {
    const time = new Date(ts ?? '');
    const day = time.toDateString();
    if (Number.isNaN(time.getTime()) || day === before) continue;
    days.set(seq, shortDay(time, today));
    before = day;
  }
  return days;
}

const COLOURS: Readonly<Record<MapRow['kind'], string>> = {
  prompt: 'var(--text-2)',
  reply: 'var(--line-strong)',
  tool: 'var(--line)',
  compaction: 'var(--line-strong)',
  other: 'var(--line)',
};

interface MapProps {
  outline: Outline;
  view: { first: number; last: number };
  at: number | undefined;
  onJump: (seq: number) => void;
}

/** How wide the mark is where each call of a row failed; one of many is seen as well. */
const FAILED_WIDTH = 28;
/** Rows of a map that is not full. */
const LEAST_ROWS = 120;

/** Decorative for screen readers: the outline says the same. */
export function EventMap({ outline, view, at, onJump }: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rows = outline.map.length;
  if (rows === 0) return null;
  /** A short session does not fill the map. */
  const room = Math.max(rows, LEAST_ROWS);
  const seqAt = (event: PointerEvent): number => {
    const { top, height } = box.current!.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientY - top) / height));
    return Math.min(outline.head, Math.floor(share * room) * outline.perRow);
  };
  const onPointer = (event: PointerEvent): void => {
    if (event.type === 'pointermove' && event.buttons === 0) return;
    const seq = seqAt(event);
    clearTimeout(rest.current);
    if (event.type === 'pointerdown') onJump(seq);
    else rest.current = setTimeout(() => onJump(seq), 80);
  };
  const [first, last] = [view.first, view.last].map((seq) => Math.floor(seq / outline.perRow)) as [number, number];
  const end = at === undefined ? rows : Math.floor(at / outline.perRow) + 1;
  return (
    <div ref={box} class="map" aria-hidden="true" onPointerDown={onPointer} onPointerMove={onPointer}>
      <svg viewBox={`0 0 44 ${room * 4}`} preserveAspectRatio="none">
        {outline.map.map((row, index) => (
          <g key={index} class={index < end ? undefined : 'later'}>
            <rect
              x={row.kind === 'prompt' ? 4 : row.kind === 'tool' ? 16 : 10}
              y={index * 4 + 0.5}
              width={row.kind === 'compaction' ? 40 : Math.max(4, row.length * (row.kind === 'prompt' ? 36 : 24))}
              height={row.kind === 'compaction' ? 1 : 2.5}
              fill={COLOURS[row.kind]}
            />
            {row.failed === undefined ? null : (
              <rect
                x={40 - FAILED_WIDTH * row.failed}
                y={index * 4 + 0.5}
                width={4 + FAILED_WIDTH * row.failed}
                height={2.5}
                fill="var(--danger)"
              />
            )}
          </g>
        ))}
        <rect
          x={0.5}
          y={first * 4}
          width={43}
          height={Math.max(6, (last - first + 1) * 4)}
          fill="var(--text-3)"
          fill-opacity={0.16}
          stroke="var(--line-strong)"
          vector-effect="non-scaling-stroke"
        />
      </svg>
    </div>
  );
}
