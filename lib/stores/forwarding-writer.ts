// A writer that does as another one does, except for what is given: for stores that stand in front of the one on the
// disk.
import type { JournalWriter } from '../journal/types.ts';

/** `own`: what it does itself. What the writer says of itself is asked of `writer` each time, because it changes. */
export function forwardingWriter(
  writer: JournalWriter,
  own: Partial<Pick<JournalWriter, 'append' | 'subscribe'>> & { readonly report?: () => JournalWriter['report'] },
): JournalWriter {
  return {
    get id() {
      return writer.id;
    },
    get policy() {
      return writer.policy;
    },
    get report() {
      return own.report?.() ?? writer.report;
    },
    get head() {
      return writer.head;
    },
    get synced() {
      return writer.synced;
    },
    get failure() {
      return writer.failure;
    },
    append: own.append ?? ((events, options) => writer.append(events, options)),
    knows: (id) => writer.knows(id),
    sync: () => writer.sync(),
    subscribe: own.subscribe ?? ((listener) => writer.subscribe(listener)),
    close: () => writer.close(),
  };
}
