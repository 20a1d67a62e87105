// Keeps who answers for new sessions, in the user's own configuration: `--default` of /model and /provider, and the
// answer to the question of a first start.
import type { App } from '../app.ts';
import type { ProviderChoice } from '../conversation.ts';
import { keepSetting, userFileOfApp } from '../start/user-file.ts';
import { OFFLINE } from './choose-provider.ts';

/** @throws OllmError CONFIG_INVALID, IO_FAILED */
export async function keepAnswerer(
  app: App,
  { provider, model }: Pick<ProviderChoice, 'provider' | 'model'>,
): Promise<{ readonly path: string }> {
  const file = userFileOfApp(app);
  await keepSetting(file, 'provider', provider.name);
  // The search has no model of its own to choose.
  if (provider.name !== OFFLINE) await keepSetting(file, 'model', model);
  return file;
}
