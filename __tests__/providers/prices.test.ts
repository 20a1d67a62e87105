import fc from 'fast-check';
import { priced } from '../../lib/providers/priced.ts';
import { costOf } from '../../lib/providers/prices.ts';
import type { Provider } from '../../lib/providers/provider.ts';
import { collect, requestOf } from './provider.contract.ts';

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test('input, cached input, cache writes and output have separate prices', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 600_000, cacheWriteTokens: 100_000, outputTokens: 10_000 };
  // 300,000 at $1, 600,000 at $0.10, 100,000 at $1.25, 10,000 at $5.
  expect(costOf(usage, 'anthropic', 'claude-haiku-4-5', {})).toBeCloseTo(0.3 + 0.06 + 0.125 + 0.05, 10);
});

test('a snapshot costs as much as its model, but a model with only a similar name does not', () => {
  const cost = costOf(million, 'anthropic', 'claude-opus-4-5', {});
  expect(costOf(million, 'anthropic', 'claude-opus-4-5-20251101', {})).toBe(cost);
  expect(costOf(million, 'anthropic', 'claude-opus-4-5-turbo', {})).toBeUndefined();
  expect(costOf(million, 'anthropic', 'claude-opus-4-1', {})).not.toBe(cost);
  expect(costOf(million, 'openai', 'gpt-5.4-mini-2026-03-17', {})).toBeCloseTo(5.25, 10);
});

test.each([
  ['anthropic', 'claude-of-tomorrow'],
  ['bedrock', 'anthropic.claude-haiku-4-5'],
  ['bedrock', 'eu.amazon.nova-lite-v1:0'],
  ['openai', 'o1-pro'],
  ['ollama', 'llama3.2'],
  ['', 'gpt-5-mini'],
])('%s %s is in no table and has no cost', (provider, model) => {
  expect(costOf(million, provider, model, {})).toBeUndefined();
});

test.each([
  ['gemini', 'gemini-2.5-flash', 2.8],
  ['gemini', 'gemini-2.5-flash-lite', 0.5],
  ['openai', 'gpt-5', 11.25],
  ['openai', 'gpt-5.1-2025-11-13', 11.25],
  ['openai', 'gpt-5-mini', 2.25],
  ['openai', 'gpt-5-pro-2025-10-06', 135],
  ['openai', 'gpt-5.2-pro', 189],
  ['openai', 'gpt-4o-2024-08-06', 12.5],
  ['openai', 'gpt-4o-mini', 0.75],
  ['openai', 'o3', 10],
  ['openai', 'o4-mini-2025-04-16', 5.5],
  ['bedrock', 'us.amazon.nova-micro-v1:0', 0.175],
  ['bedrock', 'us.amazon.nova-pro-v1:0', 4],
])('%s %s costs what its vendor lists', (provider, model, dollars) => {
  expect(costOf(million, provider, model, {})).toBeCloseTo(dollars, 10);
});

test('a profile of one region at Bedrock costs a tenth more than the global one', () => {
  const usage = { inputTokens: 100_000, outputTokens: 100_000 };
  const cost = (profile: string) => costOf(usage, 'bedrock', `${profile}claude-sonnet-4-5-20250929-v1:0`, {});
  expect(cost('global.anthropic.')).toBeCloseTo(1.8, 10);
  expect(cost('eu.anthropic.')).toBeCloseTo(1.98, 10);
  expect(cost('anthropic.')).toBeUndefined();
});

test('the first snapshot of gpt-4o has a different price, which is not known', () => {
  expect(costOf(million, 'openai', 'gpt-4o-2024-05-13', {})).toBeUndefined();
});

test('a request above the limit of tokens to a model called pro has no known price', () => {
  const usage = { inputTokens: 272_000, outputTokens: 1_000 };
  expect(costOf(usage, 'openai', 'gpt-5.4-pro', {})).toBeCloseTo(8.16 + 0.18, 10);
  expect(costOf({ ...usage, inputTokens: 272_001 }, 'openai', 'gpt-5.4-pro', {})).toBeUndefined();
});

test('a request longer than the limit of its price has no cost, rather than a wrong one', () => {
  expect(costOf({ inputTokens: 200_000, outputTokens: 0 }, 'gemini', 'gemini-3.1-pro-preview', {})).toBeCloseTo(0.4);
  expect(costOf({ inputTokens: 200_001, outputTokens: 0 }, 'gemini', 'gemini-3.1-pro-preview', {})).toBeUndefined();
});

test('prices of the user win, the most exact pattern first, for any provider', () => {
  const prices = {
    '*': { input: 9, output: 9 },
    'claude-*': { input: 2, output: 0 },
    'claude-haiku-*': { input: 1, output: 0, cachedInput: 0.5 },
    'llama3.2': { input: 0, output: 0 },
  };
  const cost = (model: string) => costOf({ inputTokens: 1_000_000, outputTokens: 0 }, 'anthropic', model, prices);
  expect([cost('claude-haiku-4-5'), cost('claude-opus-5'), cost('gpt'), cost('llama3.2')]).toEqual([1, 2, 9, 0]);
  expect(costOf(million, 'ollama', 'llama3.2', prices)).toBe(0);
});

test.each([
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'acb', false],
  ['a*a', 'a', false],
  ['*', '', true],
  ['org/*', 'org/model', true],
  ['a.c', 'abc', false],
  ['[a-z]*', 'abc', false],
])('the pattern %j takes %j: %s', (pattern, model, fits) => {
  const cost = costOf(million, 'x', model, { [pattern]: { input: 1, output: 1 } });
  expect(cost !== undefined).toBe(fits);
});

test('a pattern of many stars is matched quickly', () => {
  const pattern = `${'a*'.repeat(2_000)}b`;
  expect(costOf(million, 'x', 'a'.repeat(100_000), { [pattern]: { input: 1, output: 1 } })).toBeUndefined();
});

test('every cost is a number of at least 0, for any counts', () => {
  const count = fc.nat({ max: 10_000_000 });
  const usage = fc.record({ inputTokens: count, outputTokens: count, cachedTokens: count, cacheWriteTokens: count });
  fc.assert(
    fc.property(usage, (each) => {
      expect(costOf(each, 'anthropic', 'claude-haiku-4-5', {})).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 200 },
  );
});

test('a provider with prices reports the cost with its usage, and keeps its other functions', async () => {
  const provider = {
    name: 'anthropic',
    probe: () => 'there',
    async *stream() {
      yield { type: 'usage', usage: million };
      yield { type: 'finish', reason: 'stop' };
    },
  } as unknown as Provider & { probe(): string };
  const listed = priced(provider, { prices: () => ({}), listOf: 'anthropic' });
  expect(listed.probe()).toBe('there');
  const request = requestOf('x', { model: 'claude-haiku-4-5' });
  expect(await collect(listed, request)).toContainEqual({ type: 'usage', usage: { ...million, totalCost: 6 } });
  // A model with this name on a different server is not the vendor's own.
  expect(await collect(priced(provider, { prices: () => ({}) }), request)).toContainEqual({
    type: 'usage',
    usage: million,
  });
});
