// The rows of an own session in the table of lists: an import has a second row, under the address of its source.
import { formatAddress, parseAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { type ListedRows, stampOf } from '../../catalog/list-table.ts';
import { mayBeImport } from './may-be-import.ts';
import { BLANK_ROW, type OwnSessionRow, type ReadRow, type SessionRow } from './session-row.ts';

/** `directory`: that of the store. */
export function listedJournal(
  { info, row, isOpen, isLasting }: ReadRow,
  directory: string,
): ListedRows<SessionRow> & { readonly summary: OwnSessionRow['summary'] } {
  const { id } = info;
  const stamp = stampOf({ ...info, size: info.bytes });
  const source = { owner: OWN_AGENT, directory, key: id, stamp, isPassing: !isLasting, isOpen };
  const { summary } = row;
  const own = keptRow(row);
  if (!mayBeImport(id)) return { source, rows: { always: own }, summary };
  return { source: { ...source, importId: id }, rows: { 'as import': own, 'as source': asSource(own, row) }, summary };
}

/** Without what only `listSessions` has: the time of the file would be formatted for each. */
export function keptRow(own: OwnSessionRow): SessionRow {
  const { locked, damaged, problem = damaged > 0 ? 'damaged' : undefined } = own;
  const { address, agent, id, title, project, parent, model, startTime, lastActivity, messageCount, bytes } = own;
  const told = { address, agent, id, title, project, parent, model, startTime, lastActivity, messageCount, bytes };
  return { ...BLANK_ROW, ...told, locked, problem };
}

/** An import as the session that it is of, of which it is all that is left. */
function asSource(own: SessionRow, { summary }: OwnSessionRow): SessionRow {
  const { address } = summary?.origin ?? {};
  const source = address === undefined ? undefined : parseAddress(address);
  // A fork of an import has its origin too, and an id of its own.
  if (source === undefined || !own.id.startsWith(`${source.agent}-`)) return own;
  return { ...own, ...source, address: formatAddress(source), importId: own.id, gone: true };
}
