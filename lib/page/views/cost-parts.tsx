// The common parts of the charts of costs: width, colours, and the numbers for people who cannot see a chart.
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

/** The colour of a series by its place; after the fourth are the others. */
export function fillOf(at: number): string {
  return at < 4 ? `var(--c${at + 1})` : 'url(#hatched)';
}

/** The pattern for unknown values, and for values that are not told apart. */
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

/** What the sums do not have. */
export function LeftOut({ sentences }: { sentences: readonly string[] }) {
  return sentences.map((sentence) => (
    <p key={sentence} class="meta">
      {oneLine(sentence)}
    </p>
  ));
}

/** A chart in numbers, folded. */
export function AsTable({ heads, rows }: { heads: readonly string[]; rows: readonly (readonly string[])[] }) {
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
          <table class="plain-table">
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head}>{oneLine(head)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(-MOST_ROWS).map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  );
}
