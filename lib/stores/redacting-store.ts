// The last place before the disk where secrets are taken out: of all that a turn, a command or another program appends.
// A caller that knows more takes them out earlier and counts them; this store catches the rest.
import { isUtf8 } from 'node:buffer';
import { setImmediate as breathe } from 'node:timers/promises';
import { redactLong } from '../environment/redact-long.ts';
import { redactValue } from '../environment/redact-value.ts';
import { checkArguments } from '../errors/arguments.ts';
import type { JournalStore, JournalWriter, NewEvent, TakingMethod } from '../journal/types.ts';
import { forwardingWriter } from './forwarding-writer.ts';

/** Takes secrets out of a text. */
export type RedactText = (text: string) => string;

export function redactingStore(store: JournalStore, redact: RedactText): JournalStore {
  checkArguments('redactingStore', { store: 'JournalStore', redact: 'function' }, [store, redact]);
  const taking: Pick<JournalStore, TakingMethod> = {
    create: async (id, created, options) =>
      redactingWriter(await store.create(id, redactValue(created, redact) as object, options), redact),
    createFilled: (id, { created, fill }) =>
      store.createFilled(id, {
        created: redactValue(created, redact) as object,
        fill: (writer) => fill(redactingWriter(writer, redact)),
      }),
    replace: (id, { suffix, created, fill, supersedes }) =>
      store.replace(id, {
        suffix,
        supersedes,
        created: async (archive) => redactValue(await created(archive), redact) as object,
        fill: (writer) => fill(redactingWriter(writer, redact)),
      }),
    openWriter: async (id, options) => redactingWriter(await store.openWriter(id, options), redact),
    putBlob: async (bytes, sessionId) => store.putBlob(await redactedBytes(bytes, redact), sessionId),
    // Derived from the journal, which is redacted already.
    writeDocument: store.writeDocument,
  };
  return { ...store, ...taking };
}

/**
 * Returns the same bytes if there is nothing to take out. Bytes that are not text, such as an image, stay unchanged.
 */
async function redactedBytes(bytes: Uint8Array, redact: RedactText): Promise<Uint8Array> {
  if (!isUtf8(bytes)) return bytes;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const redactor = { redact: (slice: string) => ({ text: redact(slice), found: [] }) };
  const clean = (await redactLong(redactor, text)).text;
  const result = clean === text ? bytes : new TextEncoder().encode(clean);
  await breathe();
  return result;
}

function redactingWriter(writer: JournalWriter, redact: RedactText): JournalWriter {
  const redacted = (event: NewEvent): NewEvent => {
    const data = redactValue(event.data, redact) as NewEvent['data'];
    return data === event.data ? event : { ...event, data };
  };
  return forwardingWriter(writer, {
    append: (events, options) =>
      writer.append(Array.isArray(events) ? events.map(redacted) : redacted(events as NewEvent), options),
  });
}
