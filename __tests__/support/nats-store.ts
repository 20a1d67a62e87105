// A store on a server of NATS for tests, each with a tenant of its own.
import { loadClient } from '../../lib/nats/client.ts';
import type { NatsPlace, NatsSession } from '../../lib/nats/connection.ts';
import { storeGeneration } from '../../lib/nats/generations.ts';
import { OBJECT } from '../../lib/nats/layout.ts';
import { allRecords } from '../../lib/nats/listing.ts';
import { type NatsStore, openNatsStore } from '../../lib/nats/nats-store.ts';
import { readRecord, updateRecord } from '../../lib/nats/record.ts';
import { sourceOf } from '../../lib/nats/stream-source.ts';
import { bytesOf } from '../../lib/nats/stream-writer.ts';
import {
  type Clock,
  manualClock,
  type ProcessInfo,
  silentLog,
  systemClock,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import type { AnyStoreUnderTest, KeptFiles } from '../journal/store.contract.ts';
import { CLIENT_FOLDER } from './nats-server.ts';

let tenants = 0;

export const newTenant = (): string => `t${process.pid}-${++tenants}`;

export function natsStore(
  place: Partial<NatsPlace> & Pick<NatsPlace, 'servers'>,
  { clock = systemClock, process = thisProcess('a test') }: { clock?: Clock; process?: ProcessInfo } = {},
): NatsStore {
  const ports = { clock, ids: systemIds, process, log: silentLog };
  return openNatsStore(ports, { place: { tenant: 'default', ...place }, client: () => loadClient([CLIENT_FOLDER]) });
}

/** A prepared store of a tenant of its own, for the contract. */
export async function natsStoreUnderTest(url: string): Promise<AnyStoreUnderTest & { readonly store: NatsStore }> {
  const clock = manualClock();
  const place = { servers: [url], tenant: newTenant() };
  const opened: NatsStore[] = [];
  const open = () => {
    const store = natsStore(place, { clock });
    opened.push(store);
    return store;
  };
  const store = open();
  await store.prepare();
  return {
    store,
    clock,
    another: open,
    kept: keptOnServer(store),
    async dispose() {
      for (const each of opened) await each.disconnect();
    },
  };
}

/** The data on the server, by the names that it would have in a directory. */
function keptOnServer(store: NatsStore): KeptFiles {
  const folders: Record<string, (session: NatsSession) => Promise<string[]>> = {
    archive: async (session) =>
      [...(await allRecords(session)).values()].flatMap(({ archived }) => archived.map(({ name }) => name)),
    trash: async (session) =>
      [...(await allRecords(session)).values()].flatMap(({ trash }) => trash.map(({ entry }) => entry)),
    blobs: (session) => objectsUnder(session, OBJECT.blobs),
    quarantine: (session) => objectsUnder(session, OBJECT.quarantine),
  };
  const generationAt = async (
    session: NatsSession,
    path: string,
  ): Promise<{ id: string; generation: string } | undefined> => {
    const name = path.replace(/^archive\//, '');
    const id = name.split('.')[0]!;
    const { record } = await readRecord(session, id);
    const generation = path.startsWith('archive/')
      ? record.archived.find((each) => each.name === name)?.generation
      : record.live;
    return generation === undefined ? undefined : { id, generation };
  };
  const objectOf = (path: string) => (path.startsWith('blobs/') ? path : OBJECT.documents + path);
  return {
    async names(folder) {
      const session = await store.session();
      if (folder !== undefined) return (await folders[folder]!(session)).sort();
      const records = await allRecords(session);
      const names = [...records].flatMap(([id, { live, suspects = [] }]) => [
        ...(live === undefined ? [] : [`${id}.jsonl`]),
        ...suspects,
      ]);
      const documents = (await objectsUnder(session, OBJECT.documents)).filter((name) => !name.endsWith('.suspect'));
      const filled: string[] = [];
      for (const [name, list] of Object.entries(folders)) if ((await list(session)).length > 0) filled.push(name);
      return [...names, ...documents, ...filled].sort();
    },
    async bytes(path) {
      const session = await store.session();
      if (!path.endsWith('.jsonl')) return Buffer.from((await session.objects.getBlob(objectOf(path)))!).toString();
      const { id, generation } = (await generationAt(session, path))!;
      const source = (await sourceOf(session, session.layout.subject(id, generation)))!;
      const chunks = await Array.fromAsync(bytesOf(source, 0, source.stat().size));
      source.close();
      return Buffer.concat(chunks).toString();
    },
    async put(path, text) {
      const session = await store.session();
      if (!path.endsWith('.jsonl')) {
        await session.objects.putBlob({ name: objectOf(path) }, Buffer.from(text));
        return;
      }
      const id = path.slice(0, -'.jsonl'.length);
      const ports = { clock: systemClock, ids: systemIds, process: thisProcess('a test'), log: silentLog };
      const live = await storeGeneration(session, ports, { id, path }, [Buffer.from(text)]);
      await updateRecord(session, id, (record) => ({ ...record, live, change: systemIds.token() }));
    },
  };
}

async function objectsUnder({ objects }: NatsSession, prefix: string): Promise<string[]> {
  const all = await objects.list();
  return all
    .filter(({ name, deleted }) => !deleted && name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
}
