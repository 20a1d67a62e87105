// In which directory a session was begun, as its first event says.
import type { App } from '../../app/app.ts';
import { readJournal } from '../../app/journals/read-journal.ts';

/** Undefined where it does not say. @throws OllmError SESSION_NOT_FOUND, and what reading throws */
export async function workspaceOf({ store }: App, id: string): Promise<string | undefined> {
  const first = await readJournal(store, id, (reader) => reader.first());
  const { cwd } = first?.data ?? {};
  return typeof cwd === 'string' ? cwd : undefined;
}
