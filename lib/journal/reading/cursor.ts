// A reading that goes from one line to the next: finds its members, checks its hash and that it follows the last one, and
// makes an event of it only when it is asked for one. All lines come through the same memory. What is not as it was written
// takes the long way, through the outcomes of `Examiner.examine`.
import { fromHex } from '../line/checksum.ts';
import { eventAt, timeAt } from '../line/codec.ts';
import type { LinePositions } from '../line/line-positions.ts';
import { typeNameAt } from '../line/type-names.ts';
import type { Damage, DataForm, JournalCursor, JournalLine, JsonObject, Outcome, StoredEvent } from '../types.ts';
import { Examiner } from './examine.ts';
import { ForwardLines } from './lines.ts';
import { JournalReading } from './reading.ts';
import { type ForwardOptions, isInFlight, type JournalSource, tipOf } from './scan.ts';

export interface CursorOptions extends Pick<ForwardOptions, 'after' | 'isBeingWritten'> {
  /** One that stands on the line of `after`, for those who ask it when the reading has ended. */
  readonly examiner?: Examiner | undefined;
}

/** From an anchor, or from the beginning, to the end as it is now. */
export function openCursor(source: JournalSource, options: CursorOptions): JournalCursor {
  return new FileCursor(source, options);
}

/** What a cursor stands on before its first step. */
const NO_DAMAGE: Damage = { kind: 'gap', offset: 0, length: 0, line: 0, reason: '' };
const NO_LINE: JournalLine = {
  seq: -1,
  ts: '',
  type: '',
  end: 0,
  hash: 0n,
  event() {
    throw new RangeError('The reading has not begun.');
  },
  dataLike: () => undefined,
};

/** The line that a file was read to. */
class OrdinaryLine implements JournalLine {
  /** As `Examiner.held`. */
  static readonly held: unknown = new OrdinaryLine(JournalReading.held);
  readonly #reading: JournalReading;
  readonly #lines: ForwardLines;
  readonly #positions: LinePositions;
  /** Asked for several times, and found once. Kept by its count: two lines of a journal may have the same seq. */
  #type = '';
  #typeOf = 0;

  constructor(reading: JournalReading) {
    this.#reading = reading;
    this.#lines = reading.lines;
    this.#positions = reading.positions;
  }

  get seq(): number {
    return this.#positions.seq;
  }

  get ts(): string {
    return timeAt(this.#lines.buffer, this.#positions);
  }

  get type(): string {
    const { buffer, count } = this.#lines;
    if (count !== this.#typeOf) {
      this.#type = typeNameAt(buffer, this.#positions.type, this.#positions.typeStop);
      this.#typeOf = count;
    }
    return this.#type;
  }

  get turn(): number | undefined {
    return this.#positions.turn || undefined;
  }

  get end(): number {
    return this.#lines.end;
  }

  get hash(): bigint {
    return this.#positions.hash;
  }

  event(): StoredEvent {
    return eventAt(this.#lines.buffer, this.#positions, this.#lines.offset, this.#lines.end);
  }

  dataLike(form: DataForm, keptBytes: number): JsonObject | undefined {
    return form.read(this.#reading.data(), keptBytes);
  }
}

const EMPTY_SOURCE: JournalSource = {
  read: () => 0,
  stat: () => ({ kind: 'file', size: 0, device: 0n, inode: 0n, links: 1, mode: 0o600, uid: 0, modifiedMs: 0 }),
};

class FileCursor implements JournalCursor {
  /** As `Examiner.held`. */
  static readonly held: unknown = new FileCursor(EMPTY_SOURCE, { isBeingWritten: () => false });

  line: JournalLine;
  damage: Damage = NO_DAMAGE;

  readonly #source: JournalSource;
  readonly #size: number;
  readonly #reading: JournalReading;
  readonly #ordinary: OrdinaryLine;
  readonly #countsLines: boolean;
  readonly #isBeingWritten: () => boolean;
  /** What the last line came to that was not ordinary, as far as it was not told yet. */
  #told: Outcome[] = [];

  constructor(source: JournalSource, { after, examiner, isBeingWritten }: CursorOptions) {
    this.#source = source;
    this.#size = source.stat().size;
    const lines = new ForwardLines(source, after?.offset ?? 0, this.#size, { reuse: true });
    this.#reading = new JournalReading(lines, examiner ?? new Examiner(tipOf(after)));
    this.#ordinary = new OrdinaryLine(this.#reading);
    this.#countsLines = after === undefined;
    this.#isBeingWritten = isBeingWritten;
    this.line = this.#ordinary;
  }

  next(): 'line' | 'damage' | 'end' {
    const { lines, examiner } = this.#reading;
    while (this.#told.length === 0) {
      const step = this.#reading.next();
      if (step === 'end') return 'end';
      if (step === 'holds') {
        this.line = this.#ordinary;
        return 'line';
      }
      if (!lines.terminated && isInFlight(this.#source, this.#size, this.#isBeingWritten)) return 'end';
      this.#told = examiner.examine(lines, step, this.#countsLines ? lines.count : 0);
    }
    return tell(this, this.#told.shift()!);
  }
}

/** The same over outcomes that were made already, such as those of an encrypted session. */
export function cursorOver(outcomes: Iterator<Outcome, void, void>): JournalCursor {
  return {
    line: NO_LINE,
    damage: NO_DAMAGE,
    next() {
      const { value } = outcomes.next();
      return value === undefined ? 'end' : tell(this, value);
    },
  };
}

function tell(cursor: { line: JournalLine; damage: Damage }, outcome: Outcome): 'line' | 'damage' {
  if (outcome.kind === 'event') cursor.line = lineOf(outcome.event);
  else cursor.damage = outcome.damage;
  return outcome.kind === 'event' ? 'line' : 'damage';
}

/** An event that there is already, as a line. */
export function lineOf(event: StoredEvent): JournalLine {
  const { seq, ts, type, turn, end } = event;
  return {
    seq,
    ts,
    type,
    turn,
    end,
    get hash() {
      return fromHex(event.xxh64);
    },
    event: () => event,
    dataLike: () => undefined,
  };
}
