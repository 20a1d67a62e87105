// `ollm export ID --format agent-trace`: the lines that a session wrote, in the files as they are now.
import { resolve } from 'node:path';
import { formatAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { changesOfSession } from '../../catalog/changes.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import type { App } from '../app.ts';
import { findConversation } from '../find/find-session.ts';
import { syncSessions, unusableCatalog } from '../import/sync-sessions.ts';
import { agentTrace } from './agent-trace.ts';
import { blameFile, type FileBlame } from './blame-file.ts';

interface SessionTrace {
  /** A line of JSON. */
  readonly line: string;
  /** Files that the session changed and that are not there any more. */
  readonly gone: number;
  readonly notes: readonly string[];
}

const SYNC_MS = 1_000;

/**
 * @example
 * const { line } = await traceOfSession(app, 'claude:5f3c');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, INTERRUPTED, IO_FAILED
 */
export async function traceOfSession(
  app: App,
  reference: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SessionTrace> {
  const { id, read } = await findConversation(app, reference);
  const { cwd = app.cwd, origin } = await read(
    async (reader) => ((await reader.first())?.data ?? {}) as Partial<EventData<'session.created'>>,
  );
  await syncSessions(app, { signal, budgetMs: SYNC_MS, only: 'own' });
  // An import and its source are one session.
  const own = formatAddress({ agent: OWN_AGENT, id });
  const sessions = new Set([own, ...(origin?.address === undefined ? [] : [origin.address])]);
  const outcome = await app.catalog.ask((database) =>
    [...sessions].flatMap((address) => changesOfSession(database, address)),
  );
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  const changes = outcome.kind === 'done' ? outcome.value : [];
  const paths = new Set(changes.map(({ file }) => resolve(cwd, file.whole)));
  const blamed: FileBlame[] = [];
  let gone = 0;
  for (const path of paths) {
    if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    if (app.fileSystem.stat(path)?.kind === 'file') blamed.push(await blameFile(app, { file: path, signal }));
    else gone += 1;
  }
  const line = `${JSON.stringify(agentTrace(app, blamed, { sessions }))}\n`;
  return { line, gone, notes: [...new Set(blamed.flatMap(({ notes }) => notes))] };
}
