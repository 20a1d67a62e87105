// `ollm resume`: a session of ollm continues itself, one of another program continues in a fork of its import.
import { isImport } from '../../../session/is-import.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../../find/find-session.ts';
import { importFirst } from '../../import/import-first.ts';
import { forkSession } from '../change/fork-session.ts';

/**
 * The session in which a conversation continues: the same one, or a fork of what belongs to another program.
 * `parent`: the import, if it was forked.
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS
 */
export async function ownSession(
  app: App,
  reference: string,
): Promise<{ readonly id: string; readonly parent?: string }> {
  const id = (await importFirst(app, reference)) ?? (await resolveId(app, reference));
  if (!(await isImport(app.store, id))) return { id };
  return forkSession(app, id, { cwd: app.cwd });
}
