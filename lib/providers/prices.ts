// What answers cost. Pure. The built-in table is data, each list with its source and its date; the user's own prices
// win. A model that fits no row has no cost: a wrong sum would be believed.
import { checkArguments } from '../errors/arguments.ts';
import type { Usage } from '../messages/index.ts';

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of input that the vendor took from its cache. Default: `input`. */
  readonly cachedInput?: number | undefined;
  /** The price of input that the vendor put into its cache. Default: `input`. */
  readonly cacheWrite?: number | undefined;
}

/** By a pattern of the model's name, in which `*` matches any characters. */
export type UserPrices = Readonly<Record<string, Price>>;

/** A price list of a vendor, as it was read on one day. */
interface PriceList {
  readonly provider: string;
  readonly source: string;
  readonly date: string;
  /** A longer request costs more, and how much is not in the list. */
  readonly upToInputTokens?: number;
  readonly rows: readonly (readonly [
    /** A pattern of the name of a family of models. */
    models: string,
    input: number,
    output: number,
    cachedInput?: number,
    cacheWrite?: number,
  ])[];
}

const ANTHROPIC_PAGE = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', date: '2026-11-22' };
/** GitHub bills the list prices of the vendors for the same models. */
const GITHUB = {
  source: 'https://github.com/github/docs/blob/main/data/tables/copilot/models-and-pricing.yml',
  date: '2026-11-22',
};
const OPENAI_PAGE = { source: 'https://platform.openai.com/docs/pricing', date: '2026-11-23' };
const GEMINI_PAGE = { source: 'https://ai.google.dev/gemini-api/docs/pricing', date: '2026-11-23' };
const AWS_PAGE = { source: 'https://aws.amazon.com/bedrock/pricing/', date: '2026-11-23' };

const LISTS: readonly PriceList[] = [
  {
    provider: 'anthropic',
    ...ANTHROPIC_PAGE,
    rows: [
      ['claude-fable-5-1', 10, 50, 0.25, 12.5],
      ['claude-fable-5', 10, 50, 1, 12.5],
      ['claude-opus-(5|4-[5-8])', 5, 25, 0.5, 6.25],
      ['claude-opus-4(-[01])?', 15, 75, 1.5, 18.75],
      ['claude-sonnet-4-6', 3, 15, 0.3, 3.75],
      ['claude-haiku-4-5', 1, 5, 0.1, 1.25],
    ],
  },
  { provider: 'anthropic', ...GITHUB, rows: [['claude-sonnet-5', 2, 10, 0.2, 2.5]] },
  {
    provider: 'anthropic',
    ...ANTHROPIC_PAGE,
    upToInputTokens: 200_000,
    rows: [['claude-sonnet-4(-[05])?', 3, 15, 0.3, 3.75]],
  },
  {
    provider: 'openai',
    ...GITHUB,
    rows: [
      ['gpt-5\\.4-mini', 0.75, 4.5, 0.075],
      ['gpt-5\\.4-nano', 0.2, 1.25, 0.02],
      ['gpt-5\\.(2|2-codex|3-codex)', 1.75, 14, 0.175],
      ['gpt-5-mini', 0.25, 2, 0.025],
      ['gpt-4\\.1', 2, 8, 0.5],
    ],
  },
  {
    provider: 'openai',
    ...GITHUB,
    upToInputTokens: 272_000,
    rows: [
      ['gpt-5\\.6-sol', 5, 30, 0.5, 6.25],
      ['gpt-5\\.6-terra', 2, 12, 0.2, 2.5],
      ['gpt-5\\.5', 5, 30, 0.5],
      ['gpt-5\\.4', 2.5, 15, 0.25],
    ],
  },
  {
    provider: 'openai',
    ...GITHUB,
    upToInputTokens: 200_000,
    rows: [['gpt-5\\.6-luna', 0.2, 1.2, 0.02, 0.25]],
  },
  {
    provider: 'openai',
    ...OPENAI_PAGE,
    rows: [
      ['gpt-5(\\.1)?(-codex|-chat)?', 1.25, 10, 0.125],
      ['gpt-5-nano', 0.05, 0.4, 0.005],
      // The models called pro have no lower price for cached input.
      ['gpt-5-pro', 15, 120],
      ['gpt-5\\.2-pro', 21, 168],
      ['gpt-4\\.1-mini', 0.4, 1.6, 0.1],
      ['gpt-4\\.1-nano', 0.1, 0.4, 0.025],
      // The first snapshot of gpt-4o costs more, and is not in the table.
      ['gpt-4o(?!-2024-05-13)', 2.5, 10, 1.25],
      ['gpt-4o-mini', 0.15, 0.6, 0.075],
      ['o1', 15, 60, 7.5],
      ['o3', 2, 8, 0.5],
      ['o3-mini', 1.1, 4.4, 0.55],
      ['o4-mini', 1.1, 4.4, 0.275],
    ],
  },
  { provider: 'openai', ...OPENAI_PAGE, upToInputTokens: 272_000, rows: [['gpt-5\\.[45]-pro', 30, 180]] },
  { provider: 'gemini', ...GITHUB, upToInputTokens: 200_000, rows: [['gemini-3\\.1-pro-preview', 2, 12, 0.2]] },
  { provider: 'gemini', ...GITHUB, rows: [['gemini-3\\.5-flash', 1.5, 9, 0.15]] },
  { provider: 'gemini', ...GEMINI_PAGE, upToInputTokens: 200_000, rows: [['gemini-2\\.5-pro', 1.25, 10, 0.125]] },
  {
    provider: 'gemini',
    ...GEMINI_PAGE,
    rows: [
      ['gemini-2\\.5-flash', 0.3, 2.5, 0.03],
      ['gemini-2\\.5-flash-lite', 0.1, 0.4, 0.01],
    ],
  },
  // A profile of one geography costs a tenth more than the global one, for the models since Claude 4.5.
  {
    provider: 'bedrock',
    ...AWS_PAGE,
    upToInputTokens: 200_000,
    rows: [
      ['global\\.anthropic\\.claude-sonnet-4-5-20250929-v1:0', 3, 15, 0.3, 3.75],
      ['(us|eu|apac|jp|au)\\.anthropic\\.claude-sonnet-4-5-20250929-v1:0', 3.3, 16.5, 0.33, 4.125],
    ],
  },
  {
    provider: 'bedrock',
    ...AWS_PAGE,
    rows: [
      ['global\\.anthropic\\.claude-haiku-4-5-20251001-v1:0', 1, 5, 0.1, 1.25],
      ['(us|eu|apac|jp|au)\\.anthropic\\.claude-haiku-4-5-20251001-v1:0', 1.1, 5.5, 0.11, 1.375],
      // Nova in its American profile: other regions have other prices.
      ['us\\.amazon\\.nova-micro-v1:0', 0.035, 0.14, 0.00875],
      ['us\\.amazon\\.nova-lite-v1:0', 0.06, 0.24, 0.015],
      ['us\\.amazon\\.nova-pro-v1:0', 0.8, 3.2, 0.2],
    ],
  },
];

/** A snapshot has a date after the name of its family, and costs the same. */
const PRICES = LISTS.flatMap(({ provider, upToInputTokens = Number.POSITIVE_INFINITY, rows }) =>
  rows.map(([models, input, output, cachedInput, cacheWrite]) => ({
    provider,
    upToInputTokens,
    model: new RegExp(`^(${models})(-(latest|\\d{8}|\\d{4}-\\d{2}-\\d{2}))?$`),
    price: { input, output, cachedInput, cacheWrite },
  })),
);

/**
 * US dollars, or undefined where no price is known.
 *
 * @param provider whose table is looked into; the user's prices hold for any
 * @example
 * costOf({ inputTokens: 1000, outputTokens: 500 }, 'anthropic', 'claude-haiku-4-5', {}) // 0.0035
 */
export function costOf(usage: Usage, provider: string, model: string, userPrices: UserPrices): number | undefined {
  const table = { usage: 'object', provider: 'text', model: 'text', userPrices: 'object' } as const;
  checkArguments('costOf', table, [usage, provider, model, userPrices]);
  const price = userPrice(model, userPrices) ?? listedPrice(usage, provider, model);
  return price && costAt(price, usage);
}

function costAt(price: Price, { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  const plain = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const millionths = plain * input + cachedTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output;
  return millionths / 1_000_000;
}

/** The most exact of the patterns that fit: the one with the most characters other than `*`. */
function userPrice(model: string, prices: UserPrices): Price | undefined {
  const fitting = Object.keys(prices).filter((pattern) => fits(model, pattern));
  const exactness = (pattern: string) => pattern.replaceAll('*', '').length;
  const [best] = fitting.sort((a, b) => exactness(b) - exactness(a));
  return best === undefined ? undefined : prices[best];
}

function fits(model: string, pattern: string): boolean {
  const pieces = pattern.split('*');
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return model === pattern;
  if (!model.startsWith(first) || !model.endsWith(last) || model.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = model.indexOf(piece, at);
    if (found === -1 || found + piece.length > model.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

function listedPrice({ inputTokens }: Usage, provider: string, model: string): Price | undefined {
  const row = PRICES.find((each) => each.provider === provider && each.model.test(model));
  return row && inputTokens <= row.upToInputTokens ? row.price : undefined;
}
