// Whether the servers that the configuration names as providers answer, and with which models. None is asked for an
// answer. Of each provider with a key file: whether other users can change or read it.
import { countOf } from '../../display/quantities.ts';
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { keyFileProblem, providersWithKeyFile } from '../providers/key-file.ts';
import { type Check, type DoctorFinding, ok, warn } from './check.ts';

const TIMEOUT_MS = 5_000;

export async function* checkProviders(app: App): AsyncGenerator<Check, void, void> {
  for (const provider of Object.keys(app.config.providers.compatible ?? {})) {
    yield { name: `provider ${provider}`, ...(await checkOne(app, provider)) };
  }
  for (const provider of providersWithKeyFile(app)) {
    const problem = keyFileProblem(app, provider);
    if (problem !== undefined) yield { name: `key of ${provider}`, ...warn(problem.text, problem.remedy) };
  }
}

async function checkOne(app: App, provider: string): Promise<DoctorFinding> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const models = await (await app.providers.load(provider)).models({ signal });
    const [only] = models;
    return ok(`answers, with ${models.length === 1 ? `the model ${only!.name}` : countOf(models.length, 'model')}`);
  } catch (error) {
    if (!isOllmError(error)) throw error;
    if (!signal.aborted) return warn(error.message, error.hint);
    return warn(`said nothing for ${TIMEOUT_MS / 1000} seconds`, 'Start it, or check its baseUrl.');
  }
}
