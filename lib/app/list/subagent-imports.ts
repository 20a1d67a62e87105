// Which journals are imports of subagents' sessions. Lists leave them out, as they leave out the subagents themselves.
import { importedId } from '../../agents/address.ts';
import { AGENT_NAMES } from '../../agents/registry.ts';
import { importedSubagents } from '../../hub/imported-before.ts';
import { sessionKeepers } from '../../hub/session-keepers.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { App } from '../app.ts';
import { hubJournal } from '../journals/hub-journal.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { mayBeImport } from './may-be-import.ts';

/** Claude Code calls the file of a subagent so. An adapter, which mirrors its sessions, notes nothing. */
const BY_NAME = /^claude-agent-/;
const REMEMBERED = 'SELECT id, parent FROM sessions WHERE agent = ?';

/**
 * Their ids, among all `journals` of the store. The places of a program tell which sessions are subagents; for vanished
 * ones the catalogue does, and for those that it never knew, the note at the import. Only programs with imports are
 * looked at.
 */
export async function subagentImports(
  app: App,
  journals: readonly Pick<JournalFileInfo, 'id'>[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const unknown = new Set(journals.flatMap(({ id }) => (mayBeImport(id) ? [id] : [])));
  const agents = AGENT_NAMES.filter((name) => [...unknown].some((id) => id.startsWith(`${name}-`)));
  for await (const { agent, sources } of sessionKeepers(foreignPorts(app), agents)) {
    const { name } = agent;
    for (const { id, parent } of sources()) {
      unknown.delete(importedId(name, id));
      if (parent !== undefined) found.add(importedId(name, id));
    }
    const remembered = await app.catalog.ask((database) => database.prepare(REMEMBERED).all(name));
    for (const { id, parent } of remembered.kind === 'done' ? remembered.value : []) {
      unknown.delete(importedId(name, String(id)));
      if (parent !== null) found.add(importedId(name, String(id)));
    }
  }
  for (const id of await notedSubagents(app, unknown)) found.add(id);
  return found;
}

/** Imports among these that were noted as a subagent's when they were made. */
export async function notedSubagents(app: App, ids: ReadonlySet<string>): Promise<readonly string[]> {
  if (ids.size === 0) return [];
  const noted = await importedSubagents(hubJournal(app));
  return [...ids].filter((id) => noted.has(id) || BY_NAME.test(id));
}
