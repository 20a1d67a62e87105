// Sets the price of a model in the user's own configuration. It applies to later requests. Sums also apply it to
// earlier requests that have no price.
import { editedText } from '../../config/edit-text.ts';
import type { ResolvedConfig } from '../../config/types.ts';
import { defined } from '../../platform/json.ts';
import type { Price } from '../../providers/prices.ts';
import type { App } from '../app.ts';
import { changeUserFile, userFileOfApp } from '../start/user-file.ts';

/**
 * `models`: a name, or a pattern of names with `*`. Returns the file that has it.
 *
 * @example
 * await setPrice(app, 'llama3.2*', { input: 0, output: 0 });
 * @throws OllmError CONFIG_INVALID: the file cannot be edited; IO_FAILED
 */
export async function setPrice(app: App, models: string, price: Price): Promise<{ readonly file: string }> {
  const file = userFileOfApp(app);
  const edit = { keys: ['prices', models], value: definedIn(price), path: file.path };
  await changeUserFile(file, (text) => editedText(text, edit));
  return { file: file.path };
}

/** The settings with that price, for a program that runs. */
export function withPrice(config: ResolvedConfig, models: string, price: Price): ResolvedConfig {
  return { ...config, prices: { ...config.prices, [models]: definedIn(price) } };
}

function definedIn({ input, output, cachedInput, cacheWrite }: Price): Price {
  return {
    input,
    output,
    ...defined({ cachedInput, cacheWrite }),
  };
}
