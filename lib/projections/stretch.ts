// A part of a journal that is gone over line by line, as far as a slice of time allows, with somebody who takes the lines.
import { cursorOver } from '../journal/reading/cursor.ts';
import type { Damage, JournalCursor, JournalLine } from '../journal/types.ts';

export interface LineTaker {
  pass(line: JournalLine): void;
}

/** What else becomes of the lines of a stretch. */
export interface StretchWatch {
  /** Whether a line comes behind the last one that counts. */
  readonly isPast?: ((line: JournalLine) => boolean) | undefined;
  readonly seeDamage?: ((damage: Damage) => void) | undefined;
}

/** A class, as the replayer is. */
export class Stretch {
  /** As `Examiner.held`. */
  static readonly held: unknown = new Stretch(cursorOver([].values()), { pass: () => {} });
  readonly cursor: JournalCursor;
  readonly #taker: LineTaker;
  readonly #watch: StretchWatch;

  constructor(cursor: JournalCursor, taker: LineTaker, watch: StretchWatch = {}) {
    this.cursor = cursor;
    this.#taker = taker;
    this.#watch = watch;
  }

  /** Takes what comes up to a line that ends there or behind. False when there is nothing more to take. */
  takeUntil(offset: number): boolean {
    const { cursor } = this;
    const { isPast, seeDamage } = this.#watch;
    for (let found = cursor.next(); found !== 'end'; found = cursor.next()) {
      if (found === 'damage') {
        seeDamage?.(cursor.damage);
        continue;
      }
      const { line } = cursor;
      if (isPast?.(line)) return false;
      this.#taker.pass(line);
      if (line.end >= offset) return true;
    }
    return false;
  }

  takeAll(): void {
    this.takeUntil(Number.POSITIVE_INFINITY);
  }
}
