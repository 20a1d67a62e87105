// `ollm providers` and `ollm models`: who can answer, who would, and with which models.
import type { Command } from 'commander';
import type { ProviderRow } from '../../app/providers/list-providers.ts';
import { shortCount } from '../../display/quantities.ts';
import { action, type Finish, withExamples } from '../command.ts';

interface ModelsOptions {
  readonly provider?: string;
}

export function defineProviders(program: Command, finish: Finish): void {
  const command = program
    .command('providers')
    .description('list the providers, which of them would answer and why, and which have a key')
    .action(
      action<object, []>(finish, async ({ output, openApp, signal }) => {
        const app = await openApp('providers');
        const { listProviders } = await import('../../app/providers/list-providers.ts');
        const list = await listProviders(app, { signal });
        const { providers, why } = list;
        if (output.json) return output.document(list);
        await output.list(providers, cellsOf, () => [
          { title: '', cells: providers.map(({ answers }) => (answers ? '*' : '')) },
          { title: 'PROVIDER', cells: providers.map(({ name }) => name), style: 'cyan' },
          { title: 'KEY', cells: providers.map(({ key = '' }) => key) },
          { title: 'WHERE', cells: providers.map(({ address = '' }) => address), grows: true, style: 'dim' },
        ]);
        output.note(why);
      }),
    );
  withExamples(command, [
    { line: 'ollm providers', does: 'the one with * answers; a key is named by its variable or file, never shown' },
    { line: 'ollm config set provider anthropic', does: 'choose one for new sessions' },
  ]);
}

export function defineModels(program: Command, finish: Finish): void {
  const command = program
    .command('models')
    .description('list the models of a provider: of the one that would answer, or of the one that is named')
    .option('--provider <provider>', 'list the models of this provider')
    .action(
      action<ModelsOptions, []>(finish, async ({ output, openApp, signal }, { provider: named }) => {
        const app = await openApp('models');
        const { listProviders } = await import('../../app/providers/list-providers.ts');
        const { providers, model } = await listProviders(app, { signal });
        const answering = providers.find(({ answers }) => answers)?.name;
        const name = named ?? answering ?? app.providers.names[0]!;
        const models = await (await app.providers.load(name)).models({ signal });
        const isUsed = (each: string) => name === answering && each === model;
        if (output.json) {
          await output.document(models.map((each) => ({ ...each, provider: name, answers: isUsed(each.name) })));
        } else {
          await output.list(
            models,
            ({ name, contextWindow }) => [name, contextWindow],
            () => [
              { title: '', cells: models.map((each) => (isUsed(each.name) ? '*' : '')) },
              { title: 'MODEL', cells: models.map((each) => each.name), style: 'cyan', grows: true },
              { title: 'WINDOW', cells: models.map(({ contextWindow }) => windowText(contextWindow)), align: 'right' },
            ],
          );
        }
        const others = app.providers.names.filter((each) => each !== name);
        output.note(`Models of ${name}. --provider names another: ${others.join(', ')}.`);
      }),
    );
  withExamples(command, [
    { line: 'ollm models', does: 'those of the provider that would answer' },
    { line: 'ollm models --provider openai', does: 'those of OpenAI that your key may use' },
  ]);
}

function windowText(contextWindow: number | undefined): string {
  return contextWindow === undefined ? '' : shortCount(contextWindow);
}

/** For a pipe: name, `*` for the one that answers, where its key is, its address. */
function cellsOf({ name, answers, key, address }: ProviderRow): readonly unknown[] {
  return [name, answers ? '*' : '', key, address];
}
