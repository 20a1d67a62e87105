// Providers by name. Each is loaded when it is first asked for, so that none costs anything at start-up.
import { OllmError } from '../errors/index.ts';
import type { Provider } from './provider.ts';

export type ProviderLoader = () => Promise<Provider>;

export interface ProviderRegistry {
  /** In the order in which they were given. */
  readonly names: readonly string[];
  /**
   * The provider of this name; the same one each time. A load that failed is tried again.
   *
   * @throws OllmError PROVIDER_UNKNOWN
   */
  load(name: string): Promise<Provider>;
}

/**
 * @example
 * const registry = createProviderRegistry({
 *   ollama: async () => (await import('./ollama/index.ts')).createOllamaProvider({ environmentHost }),
 * });
 */
export function createProviderRegistry(loaders: Readonly<Record<string, ProviderLoader>>): ProviderRegistry {
  const known = new Map(Object.entries(loaders));
  const loaded = new Map<string, Promise<Provider>>();
  return {
    names: [...known.keys()],
    async load(name) {
      const loader = known.get(name);
      if (!loader) throw unknownProvider(name, [...known.keys()]);
      const provider = loaded.get(name) ?? loader();
      loaded.set(name, provider);
      try {
        return await provider;
      } catch (error) {
        loaded.delete(name);
        throw error;
      }
    },
  };
}

/** `place`: where the name is set, unless the caller gave it, such as "set in the configuration". */
export function unknownProvider(name: string, known: readonly string[], place?: string): OllmError {
  const named = place === undefined ? JSON.stringify(name) : `${JSON.stringify(name)}, which is ${place}`;
  return new OllmError('PROVIDER_UNKNOWN', `There is no provider ${named}.`, {
    hint: `Choose one of: ${known.join(', ')}.`,
    data: { name, known },
  });
}
