// The settings of one provider, which comes with ollm or is a server that the user named.
import type { ResolvedConfig } from '../../config/types.ts';
import type { Sampling } from '../../providers/sampling.ts';

interface ProviderSettings extends Sampling {
  readonly apiKeyEnv?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** A provider that comes with ollm keeps its name, even if the user gives a server the same name. */
export function settingsOfProviders({ providers }: ResolvedConfig): Readonly<Record<string, ProviderSettings>> {
  const { compatible = {}, offline: _, ...builtIn } = providers;
  return { ...compatible, ...builtIn };
}

export function settingsOfProvider(config: ResolvedConfig, name: string): ProviderSettings {
  const settings = settingsOfProviders(config);
  return (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? {};
}
