// What answers cost. Pure. The built-in table is data, each row with its source and its date; the user's own prices
// win. A model that fits no row has no cost: a wrong sum would be believed.
import type { Usage } from '../messages/index.ts';

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input that the vendor took from its cache. Default: `input`. */
  readonly cachedInput?: number | undefined;
  /** Of input that the vendor put into its cache. Default: `input`. */
  readonly cacheWrite?: number | undefined;
}

/** By a pattern of the model's name, in which `*` matches any characters. */
export type UserPrices = Readonly<Record<string, Price>>;

interface PriceRow extends Price {
  readonly provider: string;
  readonly model: RegExp;
  /** A longer request costs more, and how much is not in this table. */
  readonly upToInputTokens?: number;
  readonly source: string;
  /** The day on which it was read. */
  readonly date: string;
}

const ANTHROPIC = {
  provider: 'anthropic',
  source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  date: '2026-11-22',
} as const;
/** GitHub bills the list prices of the vendors for the same models. */
const LISTED = {
  source: 'https://github.com/github/docs/blob/main/data/tables/copilot/models-and-pricing.yml',
  date: '2026-11-22',
} as const;
const OPENAI = { provider: 'openai', ...LISTED } as const;
const GEMINI = { provider: 'gemini', ...LISTED } as const;
const OPENAI_PAGE = {
  provider: 'openai',
  source: 'https://platform.openai.com/docs/pricing',
  date: '2026-11-23',
} as const;
const GEMINI_PAGE = {
  provider: 'gemini',
  source: 'https://ai.google.dev/gemini-api/docs/pricing',
  date: '2026-11-23',
} as const;
/** A profile of one geography costs a tenth more than the global one, for the models since Claude 4.5. */
const BEDROCK = { provider: 'bedrock', source: 'https://aws.amazon.com/bedrock/pricing/', date: '2026-11-23' } as const;
const GEOGRAPHY = '(us|eu|apac|jp|au)\\.anthropic\\.';

const PRICES: readonly PriceRow[] = [
  row(ANTHROPIC, 'claude-fable-5-1', { input: 10, output: 50, cachedInput: 0.25, cacheWrite: 12.5 }),
  row(ANTHROPIC, 'claude-fable-5', { input: 10, output: 50, cachedInput: 1, cacheWrite: 12.5 }),
  row(ANTHROPIC, 'claude-opus-(5|4-[5-8])', { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 }),
  row(ANTHROPIC, 'claude-opus-4(-[01])?', { input: 15, output: 75, cachedInput: 1.5, cacheWrite: 18.75 }),
  row({ ...ANTHROPIC, source: LISTED.source }, 'claude-sonnet-5', {
    input: 2,
    output: 10,
    cachedInput: 0.2,
    cacheWrite: 2.5,
  }),
  row(ANTHROPIC, 'claude-sonnet-4-6', { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 }),
  row({ ...ANTHROPIC, upToInputTokens: 200_000 }, 'claude-sonnet-4(-[05])?', {
    input: 3,
    output: 15,
    cachedInput: 0.3,
    cacheWrite: 3.75,
  }),
  row(ANTHROPIC, 'claude-haiku-4-5', { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25 }),
  row({ ...OPENAI, upToInputTokens: 272_000 }, 'gpt-5\\.5', { input: 5, output: 30, cachedInput: 0.5 }),
  row({ ...OPENAI, upToInputTokens: 272_000 }, 'gpt-5\\.6-sol', {
    input: 5,
    output: 30,
    cachedInput: 0.5,
    cacheWrite: 6.25,
  }),
  row({ ...OPENAI, upToInputTokens: 272_000 }, 'gpt-5\\.6-terra', {
    input: 2,
    output: 12,
    cachedInput: 0.2,
    cacheWrite: 2.5,
  }),
  row({ ...OPENAI, upToInputTokens: 200_000 }, 'gpt-5\\.6-luna', {
    input: 0.2,
    output: 1.2,
    cachedInput: 0.02,
    cacheWrite: 0.25,
  }),
  row({ ...OPENAI, upToInputTokens: 272_000 }, 'gpt-5\\.4', { input: 2.5, output: 15, cachedInput: 0.25 }),
  row(OPENAI, 'gpt-5\\.4-mini', { input: 0.75, output: 4.5, cachedInput: 0.075 }),
  row(OPENAI, 'gpt-5\\.4-nano', { input: 0.2, output: 1.25, cachedInput: 0.02 }),
  row(OPENAI, 'gpt-5\\.(2|2-codex|3-codex)', { input: 1.75, output: 14, cachedInput: 0.175 }),
  row(OPENAI, 'gpt-5-mini', { input: 0.25, output: 2, cachedInput: 0.025 }),
  row(OPENAI, 'gpt-4\\.1', { input: 2, output: 8, cachedInput: 0.5 }),
  row({ ...GEMINI, upToInputTokens: 200_000 }, 'gemini-3\\.1-pro-preview', { input: 2, output: 12, cachedInput: 0.2 }),
  row(GEMINI, 'gemini-3\\.5-flash', { input: 1.5, output: 9, cachedInput: 0.15 }),
  row(OPENAI_PAGE, 'gpt-5(\\.1)?(-codex|-chat)?', { input: 1.25, output: 10, cachedInput: 0.125 }),
  row(OPENAI_PAGE, 'gpt-5-nano', { input: 0.05, output: 0.4, cachedInput: 0.005 }),
  row(OPENAI_PAGE, 'gpt-4\\.1-mini', { input: 0.4, output: 1.6, cachedInput: 0.1 }),
  row(OPENAI_PAGE, 'gpt-4\\.1-nano', { input: 0.1, output: 0.4, cachedInput: 0.025 }),
  // The first snapshot of gpt-4o costs more, and is not in the table.
  row(OPENAI_PAGE, 'gpt-4o(?!-2024-05-13)', { input: 2.5, output: 10, cachedInput: 1.25 }),
  row(OPENAI_PAGE, 'gpt-4o-mini', { input: 0.15, output: 0.6, cachedInput: 0.075 }),
  row(OPENAI_PAGE, 'o1', { input: 15, output: 60, cachedInput: 7.5 }),
  row(OPENAI_PAGE, 'o3', { input: 2, output: 8, cachedInput: 0.5 }),
  row(OPENAI_PAGE, 'o3-mini', { input: 1.1, output: 4.4, cachedInput: 0.55 }),
  row(OPENAI_PAGE, 'o4-mini', { input: 1.1, output: 4.4, cachedInput: 0.275 }),
  row({ ...GEMINI_PAGE, upToInputTokens: 200_000 }, 'gemini-2\\.5-pro', {
    input: 1.25,
    output: 10,
    cachedInput: 0.125,
  }),
  row(GEMINI_PAGE, 'gemini-2\\.5-flash', { input: 0.3, output: 2.5, cachedInput: 0.03 }),
  row(GEMINI_PAGE, 'gemini-2\\.5-flash-lite', { input: 0.1, output: 0.4, cachedInput: 0.01 }),
  row({ ...BEDROCK, upToInputTokens: 200_000 }, 'global\\.anthropic\\.claude-sonnet-4-5-20250929-v1:0', {
    input: 3,
    output: 15,
    cachedInput: 0.3,
    cacheWrite: 3.75,
  }),
  row({ ...BEDROCK, upToInputTokens: 200_000 }, `${GEOGRAPHY}claude-sonnet-4-5-20250929-v1:0`, {
    input: 3.3,
    output: 16.5,
    cachedInput: 0.33,
    cacheWrite: 4.125,
  }),
  row(BEDROCK, 'global\\.anthropic\\.claude-haiku-4-5-20251001-v1:0', {
    input: 1,
    output: 5,
    cachedInput: 0.1,
    cacheWrite: 1.25,
  }),
  row(BEDROCK, `${GEOGRAPHY}claude-haiku-4-5-20251001-v1:0`, {
    input: 1.1,
    output: 5.5,
    cachedInput: 0.11,
    cacheWrite: 1.375,
  }),
];

/**
 * US dollars, or undefined where no price is known.
 *
 * @param provider whose table is looked into; the user's prices hold for any
 * @example
 * costOf({ inputTokens: 1000, outputTokens: 500 }, 'anthropic', 'claude-haiku-4-5', {}) // 0.0035
 */
export function costOf(usage: Usage, provider: string, model: string, userPrices: UserPrices): number | undefined {
  const price = userPrice(model, userPrices) ?? listedPrice(usage, provider, model);
  return price && costAt(price, usage);
}

function costAt(price: Price, { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  const plain = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const millionths = plain * input + cachedTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output;
  return millionths / 1_000_000;
}

/** The most exact of the patterns that fit: the one with the most characters besides `*`. */
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
  return row && inputTokens <= (row.upToInputTokens ?? Number.POSITIVE_INFINITY) ? row : undefined;
}

/** `name`: a family of models. A snapshot carries a date behind it, and costs the same. */
function row(known: Omit<PriceRow, 'model' | keyof Price>, name: string, price: Price): PriceRow {
  return { ...known, ...price, model: new RegExp(`^(${name})(-(latest|\\d{8}|\\d{4}-\\d{2}-\\d{2}))?$`) };
}
