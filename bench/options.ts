// What `npm run bench` is told, held against what there is before anything is measured: an hour later is too late to hear that it
// was for nothing. Pure.
import { parseArgs } from 'node:util';
import { CASES } from './bench.ts';

export const USAGE = `npm run bench -- [options]

  --only PATTERN   cases whose name matches this regular expression; may be given several times
  --quick          shorter sessions, fewer pairs: four to eight minutes for everything; without it, forty minutes
  --seed N         of the generated sessions (default 1)
  --events N       read sessions of this length only; may be given several times. Else 1,000, 10,000, 100,000 and
                   1,000,000 (2 GB on the disk, and as much in memory), with --quick 20,000
  --directory DIR  where it is measured (default: the system's directory for temporary files). What waits for a device is
                   skipped where that is in memory
  --list           the names of the cases
  --document       also write the tables of these cases into docs/performance.md; at full length only
  --curve          also draw docs/performance-curve.svg from the case turn-cost; at full length only

Examples:
  npm run bench -- --quick
  npm run bench -- --only append --directory /var/tmp
  npm run bench -- --only '^read$' --events 10000 --seed 2
  npm run bench -- --only replay --document
`;

const LENGTHS = [1_000, 10_000, 100_000, 1_000_000];
const QUICK_LENGTHS = [20_000];

export interface Options {
  /** Of the cases, in the order in which they run. */
  readonly names: readonly (typeof CASES)[number][];
  readonly quick: boolean;
  readonly seed: number;
  readonly lengths: readonly number[];
  /** As it was given. */
  readonly directory: string | undefined;
  readonly document: boolean;
  readonly curve: boolean;
}

export type Order =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'run'; readonly options: Options }
  /** Nothing is to be done; `reason` is a sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

export function readOptions(args: readonly string[]): Order {
  try {
    return orderOf(args);
  } catch (error) {
    if (!(error instanceof Refusal || isOfParseArgs(error))) throw error;
    return { kind: 'refused', reason: error.message };
  }
}

class Refusal extends Error {}

function isOfParseArgs(error: unknown): error is Error {
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_');
}

function orderOf(args: readonly string[]): Order {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      events: { type: 'string', multiple: true },
      directory: { type: 'string' },
      list: { type: 'boolean', default: false },
      document: { type: 'boolean', default: false },
      curve: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };

  const { quick, directory, document, curve } = values;
  const names = namesOf(values.only);
  const given = values.events?.map((text) => wholeNumber('--events', text, 1));
  if (document && (quick || given)) {
    throw new Refusal('--document writes tables of full length: leave out --quick and --events.');
  }
  if (curve && (quick || !names.includes('turn-cost'))) {
    throw new Refusal('--curve draws what the case turn-cost came to at full length: leave out --quick, and name it.');
  }
  const lengths = given ?? (quick ? QUICK_LENGTHS : LENGTHS);
  const seed = wholeNumber('--seed', values.seed, 0);
  return { kind: 'run', options: { names, quick, seed, lengths, directory, document, curve } };
}

function namesOf(patterns: readonly string[]): (typeof CASES)[number][] {
  const wanted = patterns.map((pattern) => {
    const expression = expressionOf(pattern);
    if (!CASES.some((name) => expression.test(name))) {
      throw new Refusal(`--only ${pattern} matches none of the cases, which are ${CASES.join(', ')}.`);
    }
    return expression;
  });
  return CASES.filter((name) => wanted.some((expression) => expression.test(name)));
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    throw new Refusal(`--only takes a regular expression, which ${pattern} is not.`);
  }
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new Refusal(`${option} takes a whole number from ${least} on, not ${text || 'nothing'}.`);
}
