// The tokens of a session's requests, ready for a chart. A mark belongs to the request before it.
import type { SentCostOfSession } from '../api/types.ts';

export interface CourseRequest {
  readonly seq: number;
  readonly turn: number | undefined;
  /** RFC 3339. */
  readonly ts: string | undefined;
  readonly input: number;
  readonly output: number;
  /** Part of the input. */
  readonly cached: number;
  readonly written: number;
  /** US dollars. */
  readonly cost: number | undefined;
}

export interface Course {
  readonly requests: readonly CourseRequest[];
  /** Requests whose cache was gone: they wrote most of their input again, and took hardly any of it from there. */
  readonly cold: readonly number[];
  readonly failed: readonly number[];
  readonly stopped: readonly number[];
  readonly loops: readonly number[];
  readonly compactions: readonly { readonly seq: number; readonly request: number; readonly saved: number }[];
}

/** Below this, a cache is not worth a word. */
const SMALLEST_COLD = 4000;

export function courseOf({ requests, marks }: SentCostOfSession): Course {
  const rows = requests.map(
    ({ seq, turn, at, inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0, cost }) => ({
      seq,
      turn,
      ts: at,
      input: inputTokens,
      output: outputTokens,
      cached: cachedTokens,
      written: cacheWriteTokens,
      cost,
    }),
  );
  /** The last request before an event. */
  const requestAt = (seq: number): number =>
    Math.max(
      0,
      rows.findLastIndex((row) => row.seq <= seq),
    );
  const placesOf = (kind: string) => marks.filter((mark) => mark.kind === kind).map(({ seq }) => requestAt(seq));
  return {
    requests: rows,
    cold: rows.flatMap(({ input, cached, written }, index) =>
      input > SMALLEST_COLD && written > input / 2 && cached < input / 10 ? [index] : [],
    ),
    failed: placesOf('failed-call'),
    stopped: placesOf('stopped'),
    loops: placesOf('loop'),
    compactions: marks
      .filter(({ kind }) => kind === 'compaction')
      .map(({ seq, tokensBefore = 0, tokensAfter = 0 }) => ({
        seq,
        request: requestAt(seq),
        saved: Math.max(0, tokensBefore - tokensAfter),
      })),
  };
}
