// Objects next to the journals: blobs under their hash, documents that are replaced as a whole, and bytes that recovery
// took off. An object exists whole or not at all, because its name is written after its content.
import { hash } from 'node:crypto';
import { OllmError } from '../errors/index.ts';
import { isBlobName } from '../journal/format.ts';
import { DOCUMENT_KINDS, documentName, freeName } from '../journal/paths.ts';
import type { JournalStore } from '../journal/types.ts';
import type { NatsSession } from './connection.ts';
import { asked } from './errors.ts';
import type { StorePorts } from './generations.ts';
import { OBJECT } from './layout.ts';
import { readRecord, updateRecord } from './record.ts';

type ObjectMethods = Pick<
  JournalStore,
  'readDocument' | 'writeDocument' | 'removeDocument' | 'setAsideDocument' | 'putBlob' | 'readBlob'
>;

const utf8 = new TextDecoder();

export function objectsOf(open: () => Promise<NatsSession>, { clock, ids, log }: StorePorts): ObjectMethods {
  return {
    async readDocument(id, kind, maxBytes) {
      const name = OBJECT.document(id, kind);
      const { objects } = await open();
      try {
        const bytes = maxBytes === undefined ? await objects.getBlob(name) : await beginningOf(objects, name, maxBytes);
        return bytes === null ? undefined : utf8.decode(bytes);
      } catch (error) {
        // A derived object that cannot be read counts as missing: it is made again.
        const action = 'It will be written again.';
        log.warn({ service: 'store', operation: 'read', path: name, error, action }, 'A derived object cannot be read');
        return undefined;
      }
    },
    async writeDocument(id, kind, text) {
      const name = OBJECT.document(id, kind);
      const chunks = typeof text === 'string' ? [text] : text;
      const bytes = Buffer.concat([...chunks].map((chunk) => Buffer.from(chunk as string)));
      const { objects } = await open();
      await asked(`Cannot write ${name}`, () => objects.putBlob({ name }, bytes));
    },
    async removeDocument(id, kind) {
      const name = OBJECT.document(id, kind);
      await removeObject(await open(), name);
    },
    async setAsideDocument(id, kind) {
      const name = OBJECT.document(id, kind);
      const session = await open();
      return asked(`Cannot set ${name} aside`, async () => {
        const bytes = await session.objects.getBlob(name);
        if (bytes === null) {
          throw new OllmError('IO_FAILED', `Cannot set ${name} aside: it is not there.`, { data: { id, kind } });
        }
        const { suspects = [], trash } = (await readRecord(session, id)).record;
        const taken = new Set([...suspects, ...trash.flatMap((entry) => entry.suspects ?? [])]);
        const nameOf = (stamp: string) => `${documentName(id, kind)}.${stamp}.suspect`;
        const aside = freeName(clock.now(), nameOf, (each) => taken.has(each));
        await session.objects.putBlob({ name: OBJECT.suspect(aside) }, bytes);
        const change = ids.token();
        await updateRecord(session, id, (record) => {
          return { ...record, suspects: [...(record.suspects ?? []), aside], change };
        });
        await removeObject(session, name);
        return aside;
      });
    },

    async putBlob(bytes) {
      const sha256 = hash('sha256', bytes);
      const { objects } = await open();
      await asked('Cannot store an attachment', () => objects.putBlob({ name: OBJECT.blob(sha256) }, bytes));
      return sha256;
    },
    async readBlob(sha256) {
      if (!isBlobName(sha256)) return undefined;
      const { objects } = await open();
      const bytes = await asked('Cannot read an attachment', () => objects.getBlob(OBJECT.blob(sha256)));
      if (bytes === null) return undefined;
      if (hash('sha256', bytes) !== sha256) {
        throw new OllmError('JOURNAL_DAMAGED', `The attachment ${sha256} is not what was stored under this name.`, {
          hint: 'Store it again from a copy; the journal itself is not affected.',
          data: { sha256 },
        });
      }
      return bytes;
    },
  };
}

export async function removeDocuments(session: NatsSession, id: string): Promise<void> {
  for (const kind of DOCUMENT_KINDS) await removeObject(session, OBJECT.document(id, kind));
}

export async function removeObject({ objects }: NatsSession, name: string): Promise<void> {
  await asked(`Cannot remove ${name}`, async () => {
    const info = await objects.info(name);
    if (info && !info.deleted) await objects.delete(name);
  });
}

/** When an object was stored, in milliseconds since 1970, by the clock of the server. */
export async function storedMs({ streams, layout }: NatsSession, name: string): Promise<number> {
  const encoded = Buffer.from(name).toString('base64url');
  const padded = encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=');
  const query = { last_by_subj: `$O.${layout.objects}.M.${padded}` };
  const stored = await asked(`Cannot look up ${name}`, () => streams.getMessage(layout.objectsStream, query));
  return stored?.time.getTime() ?? Number.POSITIVE_INFINITY;
}

async function beginningOf(
  objects: NatsSession['objects'],
  name: string,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const result = await objects.get(name);
  if (result === null) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of result.data) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
