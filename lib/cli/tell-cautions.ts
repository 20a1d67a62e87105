// Says that a result may lack something, and what to do about it. The exit code shows it too: a script that asks
// nothing else would take a part for the whole.
import type { App } from '../app/app.ts';
import { readingCautions } from '../app/find/open-for-reading.ts';
import { ERROR_CODES } from '../errors/index.ts';
import type { Output } from './output.ts';

/** What to exit with: 0 if nothing is amiss. `places`: how many were found damaged. */
export async function tellCautions(
  output: Pick<Output, 'warn'>,
  app: App,
  id: string,
  places: number,
): Promise<number> {
  const cautions = [...(await readingCautions(app, id, places)), ...(await whatImportHas(app, id))];
  for (const caution of cautions) output.warn(caution);
  return cautions.length === 0 ? 0 : ERROR_CODES.JOURNAL_DAMAGED.exit;
}

/** Loads what looks for it only for a session of another program. */
async function whatImportHas(app: App, id: string): Promise<readonly string[]> {
  if (!id.includes(':')) return [];
  const { moreInImport } = await import('../app/sessions/read/kept-sources.ts');
  return moreInImport(app, id);
}
