// What continues from a session of another program begins with an import of it: the import is the parent, and stays as
// the source is.
import { parseAddress } from '../../agents/address.ts';
import { partsOfInside } from '../../agents/inside.ts';
import { OllmError } from '../../errors/index.ts';
import type { ImportedSession } from '../../hub/import-session.ts';
import type { App } from '../app.ts';
import { foreignAddress } from '../find/find-session.ts';

/**
 * The id of the import that an address names, made or brought up to date; undefined for a reference to a session here.
 */
export async function importFirst(app: App, reference: string): Promise<string | undefined> {
  if (foreignAddress(reference) === undefined) return undefined;
  const { importForeign } = await import('./import-sessions.ts');
  const sessions: ImportedSession[] = [];
  await importForeign(app, { addresses: [reference], onSession: (session) => void sessions.push(session) });
  // The subagents in the file of a session are imported with it, some before it.
  const { kind, id, address } = sessions.find((each) => !isInside(each.address)) ?? sessions[0] ?? {};
  if (kind !== 'empty') return id;
  throw new OllmError('SESSION_NOT_FOUND', `${address} has no conversation: there is nothing to continue.`, {
    data: { address },
  });
}

function isInside(address: string): boolean {
  return partsOfInside(parseAddress(address)?.id ?? '') !== undefined;
}
