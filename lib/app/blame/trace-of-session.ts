// `ollm export ID --format agent-trace`: the lines that a session wrote, in the files as they are now.
import { resolve } from 'node:path';
import { formatAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import type { App } from '../app.ts';
import { findConversation } from '../sessions/find/find-session.ts';
import { agentTrace } from './agent-trace.ts';
import { blameFile, type FileBlame } from './blame-file.ts';
import { changesInSession } from './changes-in-session.ts';

interface SessionTrace {
  /** A line of JSON. */
  readonly line: string;
  /** Files that the session changed and that are not there any more. */
  readonly gone: number;
  readonly notes: readonly string[];
}

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
  const { changes, cwd, sessions } = await read(async (reader) => {
    const { cwd: directory, origin } = ((await reader.first())?.data ?? {}) as Partial<EventData<'session.created'>>;
    const own = formatAddress({ agent: OWN_AGENT, id });
    return {
      changes: await changesInSession(reader, { session: own, signal }),
      cwd: directory,
      // An import and its source are one session.
      sessions: new Set([own, ...(origin?.address === undefined ? [] : [origin.address])]),
    };
  });
  const paths = new Set(changes.map(({ call }) => resolve(cwd ?? app.cwd, call.path)));
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
