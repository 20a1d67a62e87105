// The common parts of the charts of costs: width, colours, and the numbers for people who cannot see a chart.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count, shortDay } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import './cost-parts.css';

const NARROWEST = 280;
const WIDEST = 1120;
/** Rows of a table: a session of a day may have thousands of requests. */
const MOST_ROWS = 500;

/** A box, and its width in whole pixels. */
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    const measure = (): void =>
      setWidth(Math.max(NARROWEST, Math.min(WIDEST, Math.floor(box.current?.clientWidth ?? 900))));
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}

/** A fill for unknown values, and for values that are not told apart. */
export const HATCHED = 'url(#hatched)';

/** The colour of a series by its place; after the fourth are the others. */
export function fillOf(at: number): string {
  return at < 4 ? `var(--c${at + 1})` : HATCHED;
}

/** The pattern of that fill. */
export function Hatches() {
  return (
    <svg class="said-only" width="0" height="0" aria-hidden="true">
      <pattern id="hatched" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2.5" height="5" fill="var(--c5)" />
      </pattern>
    </svg>
  );
}

/** @example dayOf(new Date()) // '23 Nov' */
export function dayOf(day: Date): string {
  return shortDay(day, new Date());
}

/** Sentences about sessions that the sums leave out. */
export function LeftOut({ sentences }: { sentences: readonly string[] }) {
  return sentences.map((sentence) => (
    <p key={sentence} class="meta">
      {oneLine(sentence)}
    </p>
  ));
}

interface TableProps<Cell> {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function PlainTable({ heads, rows }: TableProps<ComponentChildren>) {
  return (
    <table class="plain-table">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The great numbers, each with its name above and more about it below. */
export function Figures({ boxes }: { boxes: readonly (readonly [name: string, value: string, more: string])[] }) {
  return (
    <div class="card figures">
      {boxes.map(([name, value, more]) => (
        <div key={name}>
          <span class="meta">{name}</span>
          <b>{value}</b>
          <span class="meta">{more}</span>
        </div>
      ))}
    </div>
  );
}

/** The names of the colours of a chart. */
export function Legend({ entries }: { entries: readonly (readonly [name: string, fill: string])[] }) {
  return (
    <ul class="legend">
      {entries.map(([name, fill]) => (
        <li key={name}>
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill={fill} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** A chart in numbers, folded. */
export function AsTable({ heads, rows }: TableProps<string>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="as-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen ? (
        <div class="scrolled" tabIndex={0} role="group" aria-label="The chart as a table">
          {rows.length > MOST_ROWS ? (
            <p class="meta">
              The last {count(MOST_ROWS)} of {count(rows.length)}.
            </p>
          ) : null}
          <PlainTable heads={heads.map(oneLine)} rows={rows.slice(-MOST_ROWS)} />
        </div>
      ) : null}
    </details>
  );
}
