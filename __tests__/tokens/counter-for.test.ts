import { counterFor } from '../../lib/tokens/counter-for.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';

describe('counterFor', () => {
  it.each([
    ['openai', 'gpt-4o-mini', 'counted'],
    ['openai', 'gpt-5', 'counted'],
    ['openai', 'o3', 'counted'],
    ['router', 'openai/gpt-4.1', 'counted'],
    ['openai', 'gpt-4', 'estimated'],
    ['ollama', 'llama3.1:8b', 'estimated'],
    ['anthropic', 'opus', 'estimated'],
  ])('%s %s: %s', async (provider, model, method) => {
    const counter = await counterFor({ provider, model });
    expect(counter.count('hello world')).toEqual({ count: 2, method });
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
    const counter = await counterFor({ provider: 'openai', model: 'gpt-4o' });
    expect(counter.count(text).count).toBeGreaterThanOrEqual(least);
  });
});
