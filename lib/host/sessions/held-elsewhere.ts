// The error for a session whose journal another process holds: which process that is, and what to do.
import type { App } from '../../app/app.ts';
import { OllmError } from '../../errors/index.ts';
import type { Holder } from '../../journal/types.ts';
import { announcedServer } from '../server-file.ts';

/** NOT_OWNER where the holder is another server, with its address; else SESSION_LOCKED. */
export function heldElsewhere(app: App, id: string, holder: Holder, cause?: OllmError): OllmError {
  const server = holder.pid === undefined ? undefined : announcedServer(app, holder.pid);
  const by = holder.pid === undefined ? 'another process' : `process ${holder.pid} (${holder.command ?? 'unknown'})`;
  if (server === undefined || server.pid === app.process.pid) {
    return new OllmError('SESSION_LOCKED', `Session ${id} is held by ${by}.`, {
      hint: 'Close it there, or go on with it there.',
      data: { id, holder },
      cause,
    });
  }
  const { address, instance } = server;
  return new OllmError('NOT_OWNER', `Session ${id} is held by another server, at ${address}.`, {
    hint: 'Ask that server.',
    data: { id, holder, address, instance },
    cause,
  });
}

/** The error that a client is given for JOURNAL_LOCKED. */
export function lockedError(app: App, id: string, error: OllmError): OllmError {
  return heldElsewhere(app, id, (error.data.holder ?? {}) as Holder, error);
}
