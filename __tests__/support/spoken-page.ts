// The page of a server whose model says what a test tells it to: the provider `box` in the settings.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServedPage, servePage } from './page-in-browser.ts';
import { type SpokenModel, startSpokenModel } from './spoken-model.ts';

export interface SpokenPage extends AsyncDisposable {
  readonly model: SpokenModel;
  readonly served: ServedPage;
  /** Begins a session of that model with a prompt. */
  begin(name: string, prompt: string): Promise<void>;
}

/** `models`: the names that the model server lists. */
export async function serveSpokenPage(models?: readonly string[]): Promise<SpokenPage> {
  const model = await startSpokenModel(models);
  const served = await servePage({
    prepare(home, project) {
      writeFileSync(join(project, 'notes.md'), 'Walnuts ripen in October.\n');
      mkdirSync(join(home.path, 'ollm'), { recursive: true });
      const box = `{baseUrl: "${model.url}/v1", contextWindow: 100000}`;
      writeFileSync(join(home.path, 'ollm/config.yaml'), `providers:\n  compatible:\n    box: ${box}\n`);
    },
  });
  return {
    model,
    served,
    async begin(name, prompt) {
      const body = { prompt, answerer: 'box', model: 'gpt-4o', name };
      const { status, text } = await served.server.post('/api/llm/sessions', body);
      if (status >= 300) throw new Error(`The session was answered with ${status}: ${text}`);
    },
    async [Symbol.asyncDispose]() {
      await served.close();
      await model[Symbol.asyncDispose]();
    },
  };
}
