import { createPromptCache, type ModelMessage } from '../../lib/index.ts';

const says = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] });

describe('a cache of prompt prefixes', () => {
  it('matches messages that begin with earlier ones, and counts the shared ones', () => {
    const cache = createPromptCache();
    const first = [says('one'), says('two')];
    expect(cache.matches(first)).toBe(false);
    const fingerprint = cache.cachePrefix(first);
    expect(cache.cachePrefix([says('one'), says('two')])).toBe(fingerprint);
    expect(cache.matches([...first, says('three')])).toBe(true);
    const { hits, misses, savings } = cache.getStats();
    expect([hits, misses]).toEqual([1, 1]);
    expect(savings).toBeGreaterThan(0);
  });

  it('does not match if an earlier message differs, or is missing', () => {
    const cache = createPromptCache();
    cache.cachePrefix([says('one'), says('two')]);
    expect(cache.matches([says('ONE'), says('two'), says('three')])).toBe(false);
    expect(cache.matches([says('one')])).toBe(false);
    expect(cache.matches([])).toBe(false);
    expect(cache.getStats()).toEqual({ hits: 0, misses: 3, savings: 0 });
  });
});
