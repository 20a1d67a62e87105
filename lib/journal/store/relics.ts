// What is kept of a session beside its journal: the journals in archive/ that it took the place of, and torn ends in
// quarantine/. Found by what the journal says of itself, and by what those say in turn, never by the look of a name: another
// session of the same id, in the trash, has relics of its own.
import { join } from 'node:path';
import type { StoreContext } from '../files/store-context.ts';
import { OWN_TYPES } from '../format.ts';
import { JOURNAL_EXTENSION } from '../paths.ts';
import { openJournalReader } from '../reading/reader.ts';
import type { StoredEvent } from '../types.ts';

/** Those that are there, each behind the one that names it: whoever removes them begins at the end. */
export function relicsOf(context: StoreContext, id: string, journalPath: string): string[] {
  const { fileSystem } = context;
  const found: string[] = [];
  const waiting = [journalPath];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    for (const relic of namedIn(context, id, path)) {
      if (found.includes(relic) || fileSystem.stat(relic)?.kind !== 'file') continue;
      found.push(relic);
      if (relic.endsWith(JOURNAL_EXTENSION)) waiting.push(relic);
    }
  }
  return found;
}

function namedIn({ fileSystem, paths, log }: StoreContext, id: string, path: string): string[] {
  // A fork carries the notes of the session that it comes from: what is called after another id is not its own.
  const isOwn = (name: unknown): name is string =>
    typeof name === 'string' && name.startsWith(`${id}.`) && /^[a-z0-9.-]+$/.test(name);
  const reader = openJournalReader(fileSystem, { id, path, lockPath: `${path}.lock`, log });
  try {
    const named: string[] = [];
    for (const outcome of reader.outcomes()) {
      if (outcome.kind === 'damage') continue;
      const { archive, quarantine } = notedIn(outcome.event);
      if (isOwn(archive)) named.push(join(paths.archive, archive));
      if (isOwn(quarantine)) named.push(join(paths.quarantine, quarantine));
    }
    return named;
  } finally {
    reader.close();
  }
}

function notedIn({ type, data }: StoredEvent): { readonly archive?: unknown; readonly quarantine?: unknown } {
  switch (type) {
    case OWN_TYPES.created:
      return { archive: (data.previous as { archive?: unknown } | null | undefined)?.archive };
    case OWN_TYPES.repaired:
      return { archive: data.archive };
    case OWN_TYPES.recovered:
      return { quarantine: data.quarantine };
    default:
      return {};
  }
}
