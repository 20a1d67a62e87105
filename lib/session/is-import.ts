// Which journals are imports of sessions of other programs. They take turns only from their source, and retention
// leaves them out: the program may have deleted the source.
import { isOllmError, OllmError } from '../errors/index.ts';
import type { JournalStore } from '../journal/types.ts';
import { isObject } from '../platform/json.ts';

/** `<agent>-<id>`: the form of an import's id. Most of ollm's own ids are UUIDs and names without it. */
const LIKE_AN_IMPORT = /^[a-z]+-(?!$)/;

/** Reads the first line where the id looks like that. */
export async function isImport(store: Pick<JournalStore, 'openReader'>, id: string): Promise<boolean> {
  return (await firstOfImport(store, id)) !== undefined;
}

/** The address of the session that this is the import of; undefined for any other session. */
export async function sourceAddress(store: Pick<JournalStore, 'openReader'>, id: string): Promise<string | undefined> {
  const { origin } = (await firstOfImport(store, id)) ?? {};
  return isObject(origin) && typeof origin.address === 'string' ? origin.address : undefined;
}

async function firstOfImport(store: Pick<JournalStore, 'openReader'>, id: string) {
  if (!LIKE_AN_IMPORT.test(id)) return undefined;
  try {
    using reader = store.openReader(id);
    const data = (await reader.first())?.data;
    return data?.imported === true ? data : undefined;
  } catch (error) {
    if (isOllmError(error)) return undefined;
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
