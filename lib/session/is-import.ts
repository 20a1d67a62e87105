// Which journals are imports of sessions of other programs. Their turns are those of the source alone, and retention
// leaves them out: the program may have deleted what they came from.
import { isOllmError, OllmError } from '../errors/index.ts';
import type { JournalStore } from '../journal/types.ts';

/** `<agent>-<id>`: what the id of an import looks like. Most ids of ours are UUIDs and names without it. */
const LIKE_AN_IMPORT = /^[a-z]+-(?!$)/;

/** Reads the first line where the id looks like that. */
export async function isImport(store: Pick<JournalStore, 'openReader'>, id: string): Promise<boolean> {
  if (!LIKE_AN_IMPORT.test(id)) return false;
  try {
    const reader = store.openReader(id);
    try {
      return (await reader.first())?.data.imported === true;
    } finally {
      reader.close();
    }
  } catch (error) {
    if (isOllmError(error)) return false;
    throw error;
  }
}

/** What opening an import for turns of the user is answered with: those belong in a fork. */
export function refuseTurnsIn(id: string): OllmError {
  return new OllmError(
    'USAGE',
    `${id} is the import of a session of another program: your own turns are not written into it.`,
    {
      hint: `"ollm resume ${id}" continues in a session of your own that begins with all of it.`,
      data: { id },
    },
  );
}
