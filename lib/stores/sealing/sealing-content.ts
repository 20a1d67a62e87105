// Files of encrypted sessions next to their journals, sealed and opened: derived files and attachments.
import type { DocumentKind, JournalStore } from '../../journal/types.ts';
import { openBytes, type SessionKeys, sealBytes } from './encryption.ts';
import type { KeysOfSessions } from './session-keys.ts';

const SEALED_DOCUMENT = '{"sealed":"';
const SEALED_BLOB = /^ollm-sealed-blob 1 ([0-9a-f]{32})\n/;
const BLOB_HEADER_BYTES = 'ollm-sealed-blob 1 '.length + 33;
const BLOB_CONTEXT = 'ollm blob';

const utf8 = new TextDecoder();

export function sealedContent(
  store: JournalStore,
  keysOf: KeysOfSessions,
): Pick<JournalStore, 'writeDocument' | 'readDocument' | 'putBlob' | 'readBlob'> {
  return {
    async writeDocument(id, kind, text) {
      const keys = await keysOf.of(id);
      if (!keys) return store.writeDocument(id, kind, text);
      // The snapshot is for programs that know nothing of ollm: sealed, it would be useless.
      if (kind === 'snapshot') return store.removeDocument(id, kind);
      const whole = typeof text === 'string' ? text : Buffer.concat(Array.from(text, (piece) => Buffer.from(piece)));
      const sealed = sealBytes(keys.documents, whole, documentContext(id, kind)).toString('base64');
      return store.writeDocument(id, kind, `${SEALED_DOCUMENT}${sealed}"}\n`);
    },
    async readDocument(id, kind, maxBytes) {
      const text = await store.readDocument(id, kind, maxBytes);
      if (!text?.startsWith(SEALED_DOCUMENT)) return text;
      const isWhole = maxBytes === undefined;
      // A list, which reads beginnings, asks for no passphrase.
      const keys = await (isWhole ? keysOf.of(id) : keysOf.known(id));
      const bytes = keys && openDocument(id, kind, (isWhole ? text : await store.readDocument(id, kind)) ?? '', keys);
      return bytes && utf8.decode(bytes.subarray(0, maxBytes));
    },
    async putBlob(bytes, sessionId) {
      const keys = sessionId === undefined ? undefined : await keysOf.forBlob(sessionId);
      if (!keys) return store.putBlob(bytes, sessionId);
      const header = Buffer.from(`ollm-sealed-blob 1 ${keys.blobId}\n`);
      return store.putBlob(Buffer.concat([header, sealBytes(keys.blobs, bytes, BLOB_CONTEXT)]), sessionId);
    },
    async readBlob(sha256) {
      const bytes = await store.readBlob(sha256);
      const header = bytes && Buffer.from(bytes.subarray(0, BLOB_HEADER_BYTES)).toString('latin1');
      const blobId = header === undefined ? undefined : SEALED_BLOB.exec(header)?.[1];
      if (!bytes || blobId === undefined) return bytes;
      const keys = keysOf.ofBlob(blobId);
      return keys && openBytes(keys.blobs, Buffer.from(bytes.subarray(BLOB_HEADER_BYTES)), BLOB_CONTEXT);
    },
  };
}

function openDocument(id: string, kind: DocumentKind, text: string, keys: SessionKeys): Uint8Array | undefined {
  const end = text.indexOf('"', SEALED_DOCUMENT.length);
  const sealed = Buffer.from(text.slice(SEALED_DOCUMENT.length, end), 'base64');
  return openBytes(keys.documents, sealed, documentContext(id, kind));
}

function documentContext(id: string, kind: DocumentKind): string {
  return `ollm document\n${id}\n${kind}`;
}
