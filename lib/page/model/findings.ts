// Reasons for the cost of a session, in words with a number: at most two, each for a tenth of it or more.
import type { Course } from './course.ts';
import { money, plural, tokens } from './numbers.ts';

interface ShownFinding {
  readonly title: string;
  readonly text: string;
  /** The requests that it is about, by their index. */
  readonly requests: readonly number[];
}

const SMALLEST_SHARE = 0.1;
const MOST = 2;

export function findingsOf(course: Course): readonly ShownFinding[] {
  const { requests, cold, loops, failed } = course;
  const priceOf = (indexes: readonly number[]) => indexes.reduce((sum, index) => sum + (requests[index]?.cost ?? 0), 0);
  const total = priceOf(requests.map((_, index) => index));
  const all = requests.reduce((sum, { input, output }) => sum + input + output, 0);
  /** The share of the cost; of the tokens if no request has a price. */
  const weigh = (indexes: readonly number[]) => {
    const price = priceOf(indexes);
    if (total > 0) return { share: price / total, said: money(price), of: 'of the cost' };
    const taken = indexes.reduce((sum, index) => sum + requests[index]!.input + requests[index]!.output, 0);
    return { share: all === 0 ? 0 : taken / all, said: `${tokens(taken)} tokens`, of: 'of all tokens' };
  };
  const looped = [...new Set(loops)].flatMap((index) => requestsOfTurn(course, index));
  const failures = [...new Set(failed.map((index) => index + 1))].filter((index) => index < requests.length);
  const candidates = [
    {
      indexes: cold,
      title: (weight: string) => `${plural(cold.length, 'request')} with a cold cache took ${weight}.`,
      text: 'After a pause the cache was gone, and what was in it was written to it again.',
    },
    {
      indexes: looped,
      title: (weight: string) => `${plural(loops.length, 'loop')} took ${weight}.`,
      text: 'The model repeated itself, and each repetition was sent with all that came before.',
    },
    {
      indexes: failures,
      title: (weight: string) => `${plural(failures.length, 'request')} after a failed call took ${weight}.`,
      text: 'Each failure was sent back to the model, which tried again.',
    },
  ];
  return candidates
    .map(({ indexes, title, text }) => ({ indexes, title, text, weight: weigh(indexes) }))
    .filter(({ indexes, weight }) => indexes.length > 0 && weight.share >= SMALLEST_SHARE)
    .sort((a, b) => b.weight.share - a.weight.share)
    .slice(0, MOST)
    .map(({ indexes, title, text, weight }) => ({
      title: title(`${weight.said}, ${Math.round(100 * weight.share)} % ${weight.of}`),
      text,
      requests: indexes,
    }));
}

/** The requests of the turn that a loop was found in, up to there. */
function requestsOfTurn({ requests }: Course, index: number): number[] {
  const { turn } = requests[index] ?? {};
  if (turn === undefined) return [index];
  return requests.flatMap((request, at) => (request.turn === turn && at <= index ? [at] : []));
}
