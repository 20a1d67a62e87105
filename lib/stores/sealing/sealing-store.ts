// A store whose encrypted sessions read and write like any other: what goes to the disk is sealed, what comes from it is opened.
// Which session is encrypted stands in its first line; the others pass through as they are. Only what needs content asks for a
// key: listing, following, verifying, repairing and deleting do without.
import { OllmError } from '../../errors/index.ts';
import { OWN_TYPES } from '../../journal/format.ts';
import type {
  Damage,
  DocumentKind,
  JournalReader,
  JournalStore,
  JournalWriter,
  Outcome,
  StoredEvent,
  TakingMethod,
} from '../../journal/types.ts';
import { forwardingWriter } from '../forwarding-writer.ts';
import { type Encryption, openBytes, type SessionKeys, sealBytes } from './encryption.ts';
import { isSealed, LineOpener, sealerOf } from './sealing-lines.ts';
import type { Keyring } from './unlock.ts';

const SEALED_DOCUMENT = '{"sealed":"';
const SEALED_BLOB = /^ollm-sealed-blob 1 ([0-9a-f]{32})\n/;
const BLOB_HEADER_BYTES = 'ollm-sealed-blob 1 '.length + 33;

const utf8 = new TextDecoder();

export interface SealingOptions {
  readonly keyring: Keyring;
  /** Whether new sessions are encrypted. Those that go on from an encrypted one are in any case. */
  readonly encryptNew: boolean;
}

export function sealingStore(store: JournalStore, { keyring, encryptNew }: SealingOptions): JournalStore {
  /** Sessions that this process opened for writing, with their keys if they have any. */
  const written = new Map<string, SessionKeys | undefined>();

  const encryptionOf = (id: string): Encryption | undefined => {
    if (!store.has(id)) return undefined;
    const reader = store.openReader(id);
    try {
      return encryptionIn(reader);
    } finally {
      reader.close();
    }
  };
  const keysThere = (id: string): SessionKeys | undefined => {
    if (written.has(id)) return written.get(id);
    const encryption = encryptionOf(id);
    return encryption && keyring.known(id, encryption);
  };
  const keysByFirstLine = (id: string): SessionKeys | undefined => {
    const encryption = encryptionOf(id);
    return encryption && keyring.keysOf(id, encryption);
  };
  const keysOf = (id: string) => (written.has(id) ? written.get(id) : keysByFirstLine(id));
  /** Keys for a journal that begins with this; undefined if it is not to be encrypted. */
  const keysFor = (id: string, created: object) => {
    const { encryption: from, ...rest } = created as { readonly encryption?: Encryption };
    const keys = from !== undefined || encryptNew ? keyring.create(id, from) : undefined;
    return { keys, created: keys ? { ...rest, encryption: keys.encryption } : rest };
  };
  const openDocument = (id: string, kind: DocumentKind, text: string, keys: SessionKeys): Uint8Array | undefined => {
    const end = text.indexOf('"', SEALED_DOCUMENT.length);
    const sealed = Buffer.from(text.slice(SEALED_DOCUMENT.length, end), 'base64');
    return openBytes(keys.documents, sealed, documentContext(id, kind));
  };
  const readDocumentBytes = (id: string, kind: DocumentKind): Uint8Array | undefined => {
    const bytes = store.readDocumentBytes(id, kind);
    if (bytes === undefined || !isSealedDocument(bytes)) return bytes;
    const keys = keysOf(id);
    return keys && openDocument(id, kind, utf8.decode(bytes), keys);
  };

  const taking: Pick<JournalStore, TakingMethod> = {
    async create(id, data, options) {
      const { keys, created } = keysFor(id, data);
      const seal = keys && sealerOf(id, keys);
      const writer = await store.create(id, created, { ...options, seal });
      written.set(id, keys);
      return keys ? sealingWriter(writer, keys) : writer;
    },
    async createFilled(id, { created: data, fill }) {
      const { keys, created } = keysFor(id, data);
      const seal = keys && sealerOf(id, keys);
      return store.createFilled(id, {
        created,
        seal,
        async fill(writer) {
          // What is attached meanwhile is sealed with the same keys.
          written.set(id, keys);
          try {
            await fill(keys ? sealingWriter(writer, keys) : writer);
          } finally {
            written.delete(id);
          }
        },
      });
    },
    async openWriter(id, options) {
      const keys = keysByFirstLine(id);
      if (!keys) {
        const writer = await store.openWriter(id, options);
        written.set(id, keys);
        return writer;
      }
      const opener = new LineOpener(id, keys);
      const damage: Damage[] = [];
      const onEvent = (event: StoredEvent) => {
        const opened = opener.open({ kind: 'event', event });
        if (opened.kind === 'event') options?.onEvent?.(opened.event);
        else damage.push(opened.damage);
      };
      const writer = await store.openWriter(id, { ...options, onEvent, seal: sealerOf(id, keys) });
      written.set(id, keys);
      return sealingWriter(writer, keys, damage);
    },
    async replace(id, { suffix, created, fill }) {
      let keys: SessionKeys | undefined;
      const archive = await store.replace(id, {
        suffix,
        created(archive) {
          const begun = keysFor(id, created(archive));
          keys = begun.keys;
          return begun.created;
        },
        fill: (writer) => fill(keys ? sealingWriter(writer, keys) : writer),
        seal: (json, line) => (keys ? sealerOf(id, keys)(json, line) : json),
      });
      written.delete(id);
      return archive;
    },
    async writeDocument(id, kind, text) {
      const keys = keysOf(id);
      if (!keys) return store.writeDocument(id, kind, text);
      // The snapshot is for programs that know nothing of ollm: sealed, it would be of use to nobody.
      if (kind === 'snapshot') return store.removeDocument(id, kind);
      const whole = typeof text === 'string' ? text : Buffer.concat(Array.from(text, (piece) => Buffer.from(piece)));
      const sealed = sealBytes(keys.documents, whole, documentContext(id, kind)).toString('base64');
      return store.writeDocument(id, kind, `${SEALED_DOCUMENT}${sealed}"}\n`);
    },
    async putBlob(bytes, sessionId) {
      const keys = sessionId === undefined ? undefined : keysThere(sessionId);
      if (!keys) return store.putBlob(bytes, sessionId);
      const header = Buffer.from(`ollm-sealed-blob 1 ${keys.blobId}\n`);
      return store.putBlob(Buffer.concat([header, sealBytes(keys.blobs, bytes, 'ollm blob')]), sessionId);
    },
  };

  return {
    ...store,
    ...taking,
    openReader: (id) => openingReader(store.openReader(id), keyring),
    readDocument(id, kind) {
      const bytes = readDocumentBytes(id, kind);
      return bytes && utf8.decode(bytes);
    },
    readDocumentBytes,
    readDocumentHead(id, kind, maxBytes) {
      const head = store.readDocumentHead(id, kind, maxBytes);
      if (!head?.startsWith(SEALED_DOCUMENT)) return head;
      const keys = keysThere(id);
      const bytes = keys && openDocument(id, kind, store.readDocument(id, kind) ?? '', keys);
      return bytes && utf8.decode(bytes.subarray(0, maxBytes));
    },
    readDocumentEnd(id, kind, maxBytes) {
      const head = store.readDocumentHead(id, kind, SEALED_DOCUMENT.length);
      if (head !== SEALED_DOCUMENT) return store.readDocumentEnd(id, kind, maxBytes);
      const keys = keysThere(id);
      const bytes = keys && openDocument(id, kind, store.readDocument(id, kind) ?? '', keys);
      return bytes && utf8.decode(bytes.subarray(Math.max(0, bytes.length - maxBytes)));
    },
    readBlob(sha256) {
      const bytes = store.readBlob(sha256);
      const blobId =
        bytes && SEALED_BLOB.exec(Buffer.from(bytes.subarray(0, BLOB_HEADER_BYTES)).toString('latin1'))?.[1];
      if (!bytes || blobId === undefined) return bytes;
      const keys = keyring.ofBlob(blobId);
      return keys && openBytes(keys.blobs, Buffer.from(bytes.subarray(BLOB_HEADER_BYTES)), 'ollm blob');
    },
  };
}

/** The same store for one session: what is attached belongs to it. */
export function storeOfSession(store: JournalStore, id: string): JournalStore {
  return { ...store, putBlob: (bytes, sessionId = id) => store.putBlob(bytes, sessionId) };
}

/** Whether the first line of a session says that it is encrypted. */
export function isEncrypted(store: Pick<JournalStore, 'openReader'>, id: string): boolean {
  const reader = store.openReader(id);
  try {
    return reader.first()?.data.encryption !== undefined;
  } finally {
    reader.close();
  }
}

function isSealedDocument(bytes: Uint8Array): boolean {
  return utf8.decode(bytes.subarray(0, SEALED_DOCUMENT.length)) === SEALED_DOCUMENT;
}

function documentContext(id: string, kind: DocumentKind): string {
  return `ollm document\n${id}\n${kind}`;
}

function encryptionIn(reader: JournalReader): Encryption | undefined {
  const first = reader.first();
  if (first?.type === OWN_TYPES.created) {
    const { encryption } = first.data;
    return typeof encryption === 'object' && encryption !== null ? (encryption as Encryption) : undefined;
  }
  for (const outcome of reader.outcomes()) {
    if (outcome.kind === 'event' && isSealed(outcome.event)) throw lostKey(reader);
    if (outcome.kind === 'event') return undefined;
  }
  return undefined;
}

function openingReader(reader: JournalReader, keyring: Keyring): JournalReader {
  const { id } = reader;
  const opener = (direction?: { readonly forwards: boolean }): LineOpener | undefined => {
    const encryption = encryptionIn(reader);
    return encryption && new LineOpener(id, keyring.keysOf(id, encryption), direction);
  };
  return {
    ...reader,
    get sealed() {
      const encryption = reader.size() > 0 ? encryptionIn(reader) : undefined;
      return encryption && !keyring.known(id, encryption) ? reader : undefined;
    },
    first() {
      const first = reader.first();
      const encryption = first && encryptionIn(reader);
      const keys = encryption && keyring.known(id, encryption);
      if (!first || !keys) return first;
      const opened = new LineOpener(id, keys).open({ kind: 'event', event: first });
      return opened.kind === 'event' ? opened.event : undefined;
    },
    outcomes(options) {
      const found = opener();
      return found ? opened(reader.outcomes(options), found) : reader.outcomes(options);
    },
    backwards() {
      const found = opener({ forwards: false });
      return found ? opened(reader.backwards(), found) : reader.backwards();
    },
    follow(options) {
      // Whoever follows a journal may be there before its first line.
      return followed(reader.follow(options), () => opener());
    },
  };
}

function* opened(outcomes: Iterable<Outcome>, opener: LineOpener): Generator<Outcome, void, void> {
  for (const outcome of outcomes) yield opener.open(outcome);
}

async function* followed(
  outcomes: AsyncIterable<Outcome>,
  find: () => LineOpener | undefined,
): AsyncGenerator<Outcome, void, void> {
  let opener: LineOpener | undefined;
  let isFound = false;
  for await (const outcome of outcomes) {
    if (!isFound) opener = find();
    isFound = true;
    yield opener ? opener.open(outcome) : outcome;
  }
}

function sealingWriter(writer: JournalWriter, keys: SessionKeys, damage: readonly Damage[] = []): JournalWriter {
  return forwardingWriter(writer, {
    report: () =>
      damage.length === 0 ? writer.report : { ...writer.report, damage: [...writer.report.damage, ...damage] },
    subscribe: (listener) =>
      writer.subscribe((events) => {
        const opener = new LineOpener(writer.id, keys);
        const seen = events.map((event) => opener.open({ kind: 'event', event }));
        listener(seen.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : [])));
      }),
  });
}

function lostKey({ id, path }: JournalReader): OllmError {
  return new OllmError(
    'KEY_UNUSABLE',
    `Session ${id} is encrypted, and its first line, which holds the wrapped key, is damaged.`,
    {
      hint: 'Its content cannot be opened without that line. Bring the journal back from a backup.',
      data: { id, path },
    },
  );
}
