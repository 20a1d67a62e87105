// How the model picks its words, by the settings: `sampling.*` for whichever provider answers, then those of the
// provider. What its wire does not have is said once in a conversation.
import { isOllmError, unless } from '../../errors/index.ts';
import { SAMPLING_NAMES, type Sampling } from '../../providers/sampling.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { settingsOfProvider } from './provider-settings.ts';

/** Undefined where nothing is set. */
export function samplingOf({ config }: Pick<App, 'config'>, provider: string): Sampling | undefined {
  const own = settingsOfProvider(config, provider);
  const entries = [...SAMPLING_NAMES.map((name) => [name, config.sampling[name] ?? own[name]] as const)];
  const keepAlive = provider === 'ollama' ? own.keepAlive : undefined;
  const given = [...entries, ['keepAlive', keepAlive] as const].filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/**
 * Settings that are not sent, as a sentence; undefined if all are sent, or the notice was shown for this model before.
 */
export async function unsentNotice(app: App, { choice, state }: Conversation): Promise<string | undefined> {
  const { provider, model, thinking } = choice;
  const sampling = samplingOf(app, provider.name);
  if (sampling === undefined) return undefined;
  // The request itself reports a fault.
  const names = (await unless(isOllmError, async () => provider.unsent?.({ model, thinking, sampling }))) ?? [];
  const key = [provider.name, model, ...names].join(' ');
  if (names.length === 0 || state.saidUnsent.has(key)) return undefined;
  state.saidUnsent.add(key);
  return `${model} (${provider.name}) does not take ${names.join(', ')}, which the settings name: not sent.`;
}
