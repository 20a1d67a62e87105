// The prompts of a session, and its map: one row for each stretch of events.
import { useRef } from 'preact/hooks';
import type { MapRow, Outline } from '../api/types.ts';
import { count, exactTime, shortTime } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';

interface ListProps {
  outline: Outline;
  /** The event at the top of what is shown. */
  current: number;
  onJump: (seq: number) => void;
}

/** More prompts than these are not listed: the map leads there. */
const MOST = 1000;

export function OutlineList({ outline, current, onJump }: ListProps) {
  const entries = [
    ...outline.prompts.slice(-MOST).map((prompt) => ({ ...prompt, isCompaction: false as const })),
    ...outline.compactions.map((compaction) => ({ ...compaction, isCompaction: true as const })),
  ].sort((a, b) => a.seq - b.seq);
  const now = outline.prompts.findLast(({ seq }) => seq <= current)?.seq;
  return (
    <nav class="outline" aria-label="Prompts">
      <p class="label">
        <span>Prompts</span>
        <span>{count(outline.prompts.length)}</span>
      </p>
      {entries.map((entry) =>
        entry.isCompaction ? (
          <p key={entry.seq} class="compacted">
            compacted
          </p>
        ) : (
          <a
            key={entry.seq}
            href={`#${entry.seq}`}
            class={entry.isUndone ? 'undone-prompt' : undefined}
            aria-current={entry.seq === now ? 'location' : undefined}
            onClick={() => onJump(entry.seq)}
          >
            <time dateTime={entry.ts} title={exactTime(new Date(entry.ts ?? ''))}>
              {shortTime(new Date(entry.ts ?? ''), new Date())}
            </time>
            <span dir="auto">{oneLine(entry.text)}</span>
          </a>
        ),
      )}
    </nav>
  );
}

const COLOURS: Readonly<Record<MapRow['kind'], string>> = {
  prompt: 'var(--text-2)',
  reply: 'var(--line-strong)',
  tool: 'var(--line)',
  failure: 'var(--danger)',
  compaction: 'var(--line-strong)',
  other: 'var(--line)',
};

interface MapProps {
  outline: Outline;
  view: { first: number; count: number };
  onJump: (seq: number) => void;
}

/** Rows of a map that is not full. */
const LEAST_ROWS = 120;

/** Decorative for screen readers: the outline says the same. */
export function EventMap({ outline, view, onJump }: MapProps) {
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
  const shown = Math.max(1, view.count / outline.perRow);
  return (
    <div ref={box} class="map" aria-hidden="true" onPointerDown={onPointer} onPointerMove={onPointer}>
      <svg viewBox={`0 0 44 ${room * 4}`} preserveAspectRatio="none">
        {outline.map.map((row, index) => (
          <rect
            key={index}
            x={row.kind === 'prompt' ? 4 : row.kind === 'failure' ? 8 : row.kind === 'tool' ? 16 : 10}
            y={index * 4 + 0.5}
            width={row.kind === 'compaction' ? 40 : Math.max(4, row.length * (row.kind === 'prompt' ? 36 : 24))}
            height={row.kind === 'compaction' ? 1 : 2.5}
            fill={COLOURS[row.kind]}
          />
        ))}
        <rect
          x={0.5}
          y={(view.first / outline.perRow) * 4}
          width={43}
          height={Math.max(6, shown * 4)}
          fill="var(--text-3)"
          fill-opacity={0.16}
          stroke="var(--line-strong)"
          vector-effect="non-scaling-stroke"
        />
      </svg>
    </div>
  );
}
