// A store whose encrypted sessions read and write like any other: what goes to the disk is sealed, what comes from it
// is opened. The first line of a session says whether it is encrypted; other sessions pass through as they are. A key
// is asked for only where content is needed: listing, following, verifying, repairing and deleting do without.
import { OllmError } from '../../errors/index.ts';
import { OWN_TYPES } from '../../journal/format.ts';
import type {
  Batches,
  Damage,
  DocumentKind,
  JournalReader,
  JournalStore,
  JournalWriter,
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
  /** Whether new sessions are encrypted. Those that continue from an encrypted one are in any case. */
  readonly encryptNew: boolean;
}

export function sealingStore(store: JournalStore, { keyring, encryptNew }: SealingOptions): JournalStore {
  /** Sessions that this process opened for writing, with their keys if they have any. */
  const written = new Map<string, SessionKeys | undefined>();

  const encryptionOf = async (id: string): Promise<Encryption | undefined> => {
    if (!(await store.has(id))) return undefined;
    const reader = store.openReader(id);
    try {
      return await encryptionIn(reader);
    } finally {
      reader.close();
    }
  };
  const keysThere = async (id: string): Promise<SessionKeys | undefined> => {
    const encryption = written.has(id) ? written.get(id)?.encryption : await encryptionOf(id);
    return encryption && keyring.known(id, encryption);
  };
  const keysByFirstLine = async (id: string): Promise<SessionKeys | undefined> => {
    const encryption = await encryptionOf(id);
    return encryption && keyring.keysOf(id, encryption);
  };
  /** A keyring may have forgotten the keys of a session since it was written: they are asked for again. */
  const keysOf = async (id: string): Promise<SessionKeys | undefined> => {
    if (!written.has(id)) return keysByFirstLine(id);
    const encryption = written.get(id)?.encryption;
    return encryption && keyring.keysOf(id, encryption);
  };
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
      const keys = await keysByFirstLine(id);
      if (!keys) {
        const writer = await store.openWriter(id, options);
        written.set(id, keys);
        return writer;
      }
      const opener = new LineOpener(id, keys);
      const damage: Damage[] = [];
      const onEvent = (event: StoredEvent) => {
        for (const opened of opener.open({ kind: 'event', event })) {
          if (opened.kind === 'event') options?.onEvent?.(opened.event);
          else damage.push(opened.damage);
        }
      };
      const writer = await store.openWriter(id, { ...options, onEvent, seal: sealerOf(id, keys) });
      written.set(id, keys);
      return sealingWriter(writer, keys, damage);
    },
    async replace(id, { suffix, created, fill, supersedes }) {
      let keys: SessionKeys | undefined;
      const archive = await store.replace(id, {
        suffix,
        supersedes,
        async created(archive) {
          const begun = keysFor(id, await created(archive));
          keys = begun.keys;
          return begun.created;
        },
        fill: (writer) => fill(keys ? sealingWriter(writer, keys) : writer),
        get seal() {
          return keys && sealerOf(id, keys);
        },
      });
      written.delete(id);
      return archive;
    },
    async writeDocument(id, kind, text) {
      const keys = await keysOf(id);
      if (!keys) return store.writeDocument(id, kind, text);
      // The snapshot is for programs that know nothing of ollm: sealed, it would be useless.
      if (kind === 'snapshot') return store.removeDocument(id, kind);
      const whole = typeof text === 'string' ? text : Buffer.concat(Array.from(text, (piece) => Buffer.from(piece)));
      const sealed = sealBytes(keys.documents, whole, documentContext(id, kind)).toString('base64');
      return store.writeDocument(id, kind, `${SEALED_DOCUMENT}${sealed}"}\n`);
    },
    async putBlob(bytes, sessionId) {
      // What is attached to a session that this process writes is never stored in the open.
      const keysOfSession = sessionId !== undefined && written.has(sessionId) ? keysOf : keysThere;
      const keys = sessionId === undefined ? undefined : await keysOfSession(sessionId);
      if (!keys) return store.putBlob(bytes, sessionId);
      const header = Buffer.from(`ollm-sealed-blob 1 ${keys.blobId}\n`);
      return store.putBlob(Buffer.concat([header, sealBytes(keys.blobs, bytes, 'ollm blob')]), sessionId);
    },
  };

  return {
    ...store,
    ...taking,
    openReader: (id) => openingReader(store.openReader(id), keyring),
    async readDocument(id, kind, maxBytes) {
      const text = await store.readDocument(id, kind, maxBytes);
      if (!text?.startsWith(SEALED_DOCUMENT)) return text;
      const isWhole = maxBytes === undefined;
      // A list, which reads beginnings, asks for no passphrase.
      const keys = await (isWhole ? keysOf(id) : keysThere(id));
      const bytes = keys && openDocument(id, kind, (isWhole ? text : await store.readDocument(id, kind)) ?? '', keys);
      return bytes && utf8.decode(bytes.subarray(0, maxBytes));
    },
    async readBlob(sha256) {
      const bytes = await store.readBlob(sha256);
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
export async function isEncrypted(store: Pick<JournalStore, 'openReader'>, id: string): Promise<boolean> {
  const reader = store.openReader(id);
  try {
    return (await reader.first())?.data.encryption !== undefined;
  } finally {
    reader.close();
  }
}

function documentContext(id: string, kind: DocumentKind): string {
  return `ollm document\n${id}\n${kind}`;
}

async function encryptionIn(reader: JournalReader): Promise<Encryption | undefined> {
  const first = await reader.first();
  if (first?.type === OWN_TYPES.created) {
    const { encryption } = first.data;
    return typeof encryption === 'object' && encryption !== null ? (encryption as Encryption) : undefined;
  }
  for await (const batch of reader.outcomes()) {
    const found = batch.find((outcome) => outcome.kind === 'event');
    if (found && isSealed(found.event)) throw lostKey(reader);
    if (found) return undefined;
  }
  return undefined;
}

function openingReader(reader: JournalReader, keyring: Keyring): JournalReader {
  const { id } = reader;
  const openerFor = async (direction?: { readonly forwards: boolean }): Promise<LineOpener | undefined> => {
    const encryption = await encryptionIn(reader);
    return encryption && new LineOpener(id, keyring.keysOf(id, encryption), direction);
  };
  return {
    ...reader,
    async sealed() {
      const encryption = (await reader.size()) > 0 ? await encryptionIn(reader) : undefined;
      return encryption && !keyring.known(id, encryption) ? reader : undefined;
    },
    async first() {
      const first = await reader.first();
      const encryption = first && (await encryptionIn(reader));
      const keys = encryption && keyring.known(id, encryption);
      if (!first || !keys) return first;
      return sealerOf(id, keys).open(first);
    },
    outcomes: (options) => opened(reader.outcomes(options), openerFor),
    backwards: (options) => opened(reader.backwards(options), () => openerFor({ forwards: false })),
    // A follower may be there before the first line.
    follow: (options) => opened(reader.follow(options), openerFor),
  };
}

/** Asks for the opener once there is something to open. */
async function* opened(batches: Batches, openerFor: () => Promise<LineOpener | undefined>): Batches {
  let opener: LineOpener | undefined;
  let isFirst = true;
  for await (const batch of batches) {
    if (isFirst) opener = await openerFor();
    isFirst = false;
    yield opener === undefined ? batch : batch.flatMap((outcome) => opener!.open(outcome));
  }
}

function sealingWriter(writer: JournalWriter, keys: SessionKeys, damage: readonly Damage[] = []): JournalWriter {
  return forwardingWriter(writer, {
    report: () =>
      damage.length === 0 ? writer.report : { ...writer.report, damage: [...writer.report.damage, ...damage] },
    subscribe: (listener) =>
      writer.subscribe((events) => {
        const opener = new LineOpener(writer.id, keys);
        const seen = events.flatMap((event) => opener.open({ kind: 'event', event }));
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
