// The shape of a session: where it was long, where a person spoke, what failed and what was compacted, in at most 22
// bytes, for a picture in a list. Its size is bounded: when there is no room for a further bar, each pair of bars is
// merged.

export interface ShapeState {
  /** How many entries a bar holds. */
  perBar: number;
  /** Tokens in the last bar. */
  inLast: number;
  tokens: number[];
  marks: number[];
}

/** What a bar can hold; bits of its byte above the height. */
const SHAPE_MARKS = { prompt: 0x20, failure: 0x40, compaction: 0x80 } as const;

const BARS = 22;
/** Two for each bar that is shown, so that pairs can be joined. */
const KEPT_BARS = 2 * BARS;
const MAX_HEIGHT = 0x1f;

export function noShape(): ShapeState {
  return { perBar: 1, inLast: 0, tokens: [], marks: [] };
}

/** Adds a message, a result or a compaction. */
export function addToShape(shape: ShapeState, tokens: number, mark: keyof typeof SHAPE_MARKS | undefined): void {
  if (shape.tokens.length === 0 || shape.inLast === shape.perBar) {
    if (shape.tokens.length === KEPT_BARS) joinPairs(shape);
    shape.tokens.push(0);
    shape.marks.push(0);
    shape.inLast = 0;
  }
  const last = shape.tokens.length - 1;
  shape.tokens[last]! += tokens;
  if (mark !== undefined) shape.marks[last]! |= SHAPE_MARKS[mark];
  shape.inLast += 1;
}

/**
 * A byte for each bar, the oldest first: the lower five bits are its height, by the square root of its tokens, the
 * others its kinds of events. Short sessions have fewer bars.
 */
export function bytesOfShape({ tokens, marks }: ShapeState): Uint8Array {
  const width = tokens.length > BARS ? 2 : 1;
  const bars = Array.from({ length: Math.ceil(tokens.length / width) }, (_, bar) => {
    const from = bar * width;
    const sum = tokens.slice(from, from + width).reduce((all, some) => all + some, 0);
    return { sum, mark: marks.slice(from, from + width).reduce((all, some) => all | some, 0) };
  });
  const most = Math.max(1, ...bars.map(({ sum }) => sum));
  return Uint8Array.from(bars, ({ sum, mark }) => Math.round(Math.sqrt(sum / most) * MAX_HEIGHT) | mark);
}

function joinPairs(shape: ShapeState): void {
  const pairs = shape.tokens.length / 2;
  shape.tokens = Array.from({ length: pairs }, (_, pair) => shape.tokens[2 * pair]! + shape.tokens[2 * pair + 1]!);
  shape.marks = Array.from({ length: pairs }, (_, pair) => shape.marks[2 * pair]! | shape.marks[2 * pair + 1]!);
  shape.perBar *= 2;
}
