// The row of a session of another program that no list shows, as that of a subagent, which a search may name.
import { formatAddress } from '../../agents/address.ts';
import { cataloguedSessions } from '../../catalog/listed-sessions.ts';
import { isOllmError, unless } from '../../errors/index.ts';
import { fileOf } from '../../hub/find-sources.ts';
import { sessionKeeper } from '../../hub/session-keepers.ts';
import type { App } from '../app.ts';
import { foreignRow, withHead } from '../list/foreign-row.ts';
import { listedHead } from '../list/listed-head.ts';
import type { SessionRow } from '../list/session-row.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { findForeign } from './find-foreign.ts';
import { foreignAddress } from './find-session.ts';

/** Undefined where its program has no session of exactly this address. */
export async function unlistedRow(app: App, address: string): Promise<SessionRow | undefined> {
  const named = foreignAddress(address);
  if (named === undefined) return undefined;
  const isUnknown = (error: unknown) =>
    isOllmError(error, 'SESSION_NOT_FOUND') || isOllmError(error, 'SESSION_AMBIGUOUS');
  const found = await unless(isUnknown, () => findForeign(app, named));
  if (found?.source === undefined || found.id !== named.id) return undefined;
  const { agent, source, importId } = found;
  const ports = foreignPorts(app);
  const directories = (await sessionKeeper(ports, agent.name)).places.map(({ directory }) => directory);
  const known = await app.catalog.ask((database) => {
    for (const directory of directories) {
      const row = cataloguedSessions(database, { agent: agent.name, directory }).get(source.id);
      if (row !== undefined) return row;
    }
    return undefined;
  });
  const told = { agent, source, file: fileOf(agent, source, ports.files) };
  const { row, isUnread } = foreignRow({ ...told, known: known.kind === 'done' ? known.value : undefined });
  const parent = source.parent === undefined ? row.parent : formatAddress({ agent: agent.name, id: source.parent });
  // The ends of a file with several sessions are not those of this one.
  const isRead = isUnread && source.inside === undefined;
  const whole = isRead ? withHead(row, told, await listedHead(app, agent, source)) : row;
  return { ...whole, parent, importId };
}
