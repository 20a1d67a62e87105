import type { Provider } from '../../lib/providers/provider.ts';
import { createProviderRegistry } from '../../lib/providers/registry.ts';

const provider = { name: 'one' } as Provider;

test('a provider is loaded at its first use, and once', async () => {
  let loads = 0;
  const registry = createProviderRegistry({
    one: async () => {
      loads += 1;
      return provider;
    },
  });
  expect(loads).toBe(0);
  expect(await Promise.all([registry.load('one'), registry.load('one')])).toEqual([provider, provider]);
  expect(loads).toBe(1);
});

test('a failed load is tried again', async () => {
  let loads = 0;
  const registry = createProviderRegistry({
    one: async () => {
      loads += 1;
      if (loads === 1) throw new Error('not yet');
      return provider;
    },
  });
  await expect(registry.load('one')).rejects.toThrow('not yet');
  expect(await registry.load('one')).toBe(provider);
});

test.each(['two', '', '__proto__', 'constructor'])('%j is not a provider', async (name) => {
  const registry = createProviderRegistry({ one: async () => provider });
  await expect(registry.load(name)).rejects.toMatchObject({ code: 'PROVIDER_UNKNOWN', hint: 'Choose one of: one.' });
});
