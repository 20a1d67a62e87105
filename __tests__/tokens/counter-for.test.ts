import { counterFor } from '../../lib/tokens/counter-for.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';

describe('counterFor', () => {
  it.each([
    ['openai', 'gpt-4o-mini', 'counted'],
    ['openai', 'gpt-5', 'counted'],
    ['openai', 'o3', 'counted'],
    ['router', 'openai/gpt-4.1', 'counted'],
    ['openai', 'gpt-4', 'counted'],
    ['openai', 'gpt-4-turbo', 'counted'],
    ['openai', 'gpt-3.5-turbo', 'counted'],
    ['openai', 'gpt-4.5-preview', 'counted'],
    ['ollama', 'llama3.1:8b', 'estimated'],
    ['anthropic', 'opus', 'estimated'],
  ])('%s %s: %s', async (provider, model, method) => {
    const counter = await counterFor({ provider, model });
    expect(counter.count('hello world')).toEqual({ count: 2, method });
  });

  it('counts by the encoding of the model', async () => {
    const count = async (model: string) =>
      (await counterFor({ provider: 'openai', model })).count('日本語の文章を数える').count;
    const { countTokens: older } = await import('gpt-tokenizer/encoding/cl100k_base');
    const { countTokens: newer } = await import('gpt-tokenizer/encoding/o200k_base');
    expect(await count('gpt-4')).toBe(older('日本語の文章を数える'));
    expect(await count('gpt-4o')).toBe(newer('日本語の文章を数える'));
    expect(await count('gpt-4')).not.toBe(await count('gpt-4o'));
  });

  it('loads no tokenizer for the offline provider', async () => {
    expect(await counterFor({ provider: 'offline', model: 'offline' })).toBe(estimatingCounter);
  });

  it.each([
    ['a run of equal characters', 'a'.repeat(50_000), 6250],
    ['what looks like a special token', '<|endoftext|>'.repeat(300), 1800],
    ['half an emoji', '\ud800'.repeat(300), 1],
    ['text without white space', '漢字'.repeat(10_000), 10_000],
  ])('counts %s', async (_, text, least) => {
    for (const model of ['gpt-4o', 'gpt-4', 'llama3.1:8b']) {
      const counter = await counterFor({ provider: 'any', model });
      expect(counter.count(text).count).toBeGreaterThanOrEqual(least);
    }
  });
});
