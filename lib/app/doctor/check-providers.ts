// Whether the servers that the configuration names as providers answer, and with which models. None is asked for an
// answer.
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import type { Check } from './check-data-directory.ts';

/** A doctor is not waited for longer than that. */
const TIMEOUT_MS = 5_000;

export async function* checkProviders(app: App): AsyncGenerator<Check, void, void> {
  for (const name of Object.keys(app.config.providers.compatible ?? {})) yield await checkOne(app, name);
}

async function checkOne(app: App, provider: string): Promise<Check> {
  const name = `provider ${provider}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const models = await (await app.providers.load(provider)).models({ signal });
    const text =
      models.length === 1 ? `answers, with the model ${models[0]!.name}` : `answers, with ${models.length} models`;
    return { name, status: 'ok', text };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    const text = signal.aborted ? `said nothing for ${TIMEOUT_MS / 1000} seconds` : error.message;
    return { name, status: 'warn', text, remedy: signal.aborted ? 'Start it, or check its baseUrl.' : error.hint };
  }
}
