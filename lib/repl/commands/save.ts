// /save: everything is on disk already; this refreshes the snapshot, and keeps an ephemeral session after all.
import { saveSession } from '../../app/sessions/save-session.ts';
import type { ReplCommand } from './command.ts';

export const saveCommand: ReplCommand = {
  name: 'save',
  group: 'session',
  arguments: '',
  summary: 'refreshes the snapshot; makes an ephemeral session permanent',
  details: 'Nothing is lost without it: each event is in the journal as soon as it happens',
  example: '/save',
  legal: 'writable',
  async run(context) {
    const wasEphemeral = context.conversation.ephemeral;
    context.conversation = await saveSession(context.app, context.conversation);
    const { session, store, encrypted } = context.conversation;
    const { id } = session;
    if (wasEphemeral) context.front.print(`The session is kept from now on, as ${id} in ${store.location}.`);
    else if (encrypted) context.front.print(`All of ${id} is stored. An encrypted session has no snapshot.`);
    else context.front.print(`The snapshot of ${id} is up to date, in ${store.location}.`);
    return undefined;
  },
};
