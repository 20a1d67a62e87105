// `ollm delete`, `ollm restore`: to the trash and back, or gone for good.
import type { TrashEntry } from '../journal/types.ts';
import type { App } from './app.ts';

export async function deleteSession(
  _app: App,
  _reference: string,
  _options: { readonly purge?: boolean | undefined } = {},
): Promise<TrashEntry> {
  throw new TypeError('not there yet');
}

/** `reference`: the id of a trashed session, or a unique prefix of one. */
export async function restoreSession(_app: App, _reference: string): Promise<{ id: string }> {
  throw new TypeError('not there yet');
}
