// Which events only ollm itself may write. Another program that keeps a session through `ollm append` may say
// everything else; it cannot claim that a user approved something, nor speak for the journal.
import type { JsonObject } from '../journal/types.ts';

/** Why other programs may not append this event; undefined if they may. */
export function refuseForeign({ type, data }: { readonly type: string; readonly data: object }): string | undefined {
  if (type === 'session.created') return 'session.created is written once, when the session is created.';
  if (type.startsWith('writer.')) return `${type} is written by the journal when it is opened.`;
  if (type.startsWith('journal.')) return `${type} is written by the journal about itself.`;
  if (type.startsWith('source.')) return `${type} is written by imports.`;
  if (type.startsWith('files.')) return `${type} is written by ollm when it puts files back.`;
  if (type.startsWith('run.')) return `${type} is written by ollm about agents that it runs.`;
  if (type === 'mode.changed') return 'mode.changed says what runs without a question: only the user decides that.';
  if (type === 'queue.changed') return 'queue.changed says what is asked next: only the user decides that.';
  const { by, changes } = data as JsonObject;
  if (type === 'tool.started' && changes !== undefined) {
    return 'The changes of a tool.started say how files can be put back: only ollm itself writes them.';
  }
  if (type === 'tool.decided' && (by === 'user' || by === 'grant')) {
    return `A tool.decided by "${by}" is an approval: only the user can give it, to ollm itself.`;
  }
  return undefined;
}
