// A writer that forwards to another one all that it is not given: for stores over the one on the disk.
import type { JournalWriter } from '../journal/types.ts';

/** `own`: the methods that are not forwarded. Properties are read from `writer` each time, because they change. */
export function forwardingWriter(
  writer: JournalWriter,
  own: Partial<Pick<JournalWriter, 'append' | 'subscribe' | 'close'>> & {
    readonly report?: () => JournalWriter['report'];
  },
): JournalWriter {
  const close = own.close ?? (() => writer.close());
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
    get stamp() {
      return writer.stamp;
    },
    append: own.append ?? ((events, options) => writer.append(events, options)),
    knows: (id) => writer.knows(id),
    sync: () => writer.sync(),
    subscribe: own.subscribe ?? ((listener) => writer.subscribe(listener)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
