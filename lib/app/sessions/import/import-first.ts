// What continues from a session of another program begins with an import of it: the import is the parent, and stays as
// the source is.
import type { App } from '../../app.ts';
import { foreignAddress } from '../find/find-session.ts';

/**
 * The id of the import that an address names, made or brought up to date; undefined for a reference to a session here.
 */
export async function importFirst(app: App, reference: string): Promise<string | undefined> {
  if (foreignAddress(reference) === undefined) return undefined;
  const { importForeign } = await import('./import-sessions.ts');
  const ids: string[] = [];
  await importForeign(app, { addresses: [reference], onSession: ({ id }) => void ids.push(id) });
  return ids[0];
}
