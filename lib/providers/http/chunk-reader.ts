// How a wire's streamed answers are read before the package of its vendor checks them: the packages refuse a whole
// answer for one piece that they do not know, so such pieces are mended or left out here.
import type { Members } from '../../platform/json.ts';

/** Reads one answer, piece by piece. */
export interface ChunkReader {
  /** The pieces to hand on for this one, of any shape: none if it has no use. */
  take(chunk: unknown): readonly unknown[];
  /** The pieces of a whole answer that came instead of a stream; undefined if it is not one. */
  whole(answer: Members): readonly unknown[] | undefined;
  /** The pieces to add where the server says that the stream is complete: `[DONE]`. */
  done?(): readonly unknown[];
}

/** Members of an object that have the wanted type; the others are left out. */
export function fitting(
  value: Members,
  fits: Readonly<Record<string, (member: unknown) => boolean>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => fits[name]?.(member) ?? true));
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';

/** The counts among the members. */
export function countsIn(usage: Members): Members {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => isNumber(count)));
}

/** The arguments of a call as the text that the packages expect. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
