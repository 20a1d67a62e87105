// The session that has exactly this id, or this address: for programs, which mean one session and no other. A prefix or
// a title is not enough.
import { importedId, parseAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import type { App } from '../app.ts';
import { findConversation } from './find-session.ts';
import { type FoundConversation, opening } from './found.ts';
import { openForReading } from './open-for-reading.ts';

/** @throws OllmError SESSION_NOT_FOUND, and what reading a session of the older form throws */
export async function exactSession(app: App, address: string): Promise<FoundConversation> {
  const id = address.startsWith(`${OWN_AGENT}:`) ? address.slice(OWN_AGENT.length + 1) : address;
  // Nearly always: nothing is listed then.
  if (isSessionId(id) && (await app.store.has(id)))
    return { kind: 'own', id, ...opening(() => openForReading(app, id)) };
  const found = await findConversation(app, id).catch((error: unknown) => {
    throw isOllmError(error, 'SESSION_AMBIGUOUS') ? unknown(address) : error;
  });
  const foreign = parseAddress(id);
  // What another program no longer keeps is read from its import.
  const imported = foreign && importedId(foreign.agent, foreign.id);
  if (found.id === id || (found.kind === 'own' && found.id === imported)) return found;
  throw unknown(address);
}

function unknown(address: string): OllmError {
  return new OllmError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(address)}.`, {
    data: { reference: address },
  });
}
