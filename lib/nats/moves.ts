// What moves the journal of a session on servers: to the archive, to the trash and back, and another one in its place.
import { OllmError } from '../errors/index.ts';
import { archiveNameOf, freeName, journalName, parseTrashEntry } from '../journal/paths.ts';
import { isThereAgain, notInTrash } from '../journal/refusals.ts';
import type { JournalStore, TrashEntry } from '../journal/types.ts';
import { repairJournal } from '../journal/writing/repair.ts';
import { readFile } from '../platform/files/io.ts';
import { memoryFileSystem } from '../platform/files/memory-file-system.ts';
import type { NatsAccess } from './access.ts';
import { type NatsSession, serverTime } from './connection.ts';
import { fence, fillGeneration, removeGeneration, storeGeneration } from './generations.ts';
import { allRecords } from './listing.ts';
import { removeDocuments } from './objects.ts';
import { purgeTrashed } from './purge.ts';
import { type HeldRecord, readRecord, type SessionRecord } from './record.ts';
import { sourceOf } from './stream-source.ts';
import { bytesOf } from './stream-writer.ts';

type Places = Pick<JournalStore, 'archive' | 'archiveDocument' | 'replace' | 'repair'>;
type Trash = Pick<JournalStore, 'trash' | 'listTrash' | 'restore' | 'purge'>;

export function placesOf(access: NatsAccess): Places {
  const { ports } = access;

  /** Puts a generation in the place of the live one, which goes into the archive. */
  async function replaced(
    id: string,
    { suffix, supersedes }: { readonly suffix?: string; readonly supersedes?: string | undefined },
    make: (each: NatsSession, archive: string, live: string) => Promise<string>,
  ): Promise<string> {
    return access.whileJournalHeld(id, async (each, held, live) => {
      const { record } = held;
      const archive = freeArchiveName(record, id, suffix);
      const generation = await make(each, archive, live);
      await fence(each, ports, { ...access.name(id), generation: live });
      await removeDocuments(each, id);
      const earlier = record.archived.find((one) => one.name === supersedes);
      const kept = record.archived.filter((one) => one !== earlier);
      const archived = [...kept, { name: archive, generation: live }];
      // Where this fails, the new generation stays: it may have its name all the same.
      await access.change(each, id, held, { ...record, live: generation, archived });
      if (earlier) await removeGeneration(each, id, earlier.generation);
      return archive;
    });
  }
  function freeArchiveName({ archived }: SessionRecord, id: string, suffix: string | undefined): string {
    const nameOf = archiveNameOf(id, suffix);
    return freeName(ports.clock.now(), nameOf, (each) => archived.some((other) => other.name === each));
  }

  /** Repairs in memory: a repair looks at every line, in any order. */
  async function repairedCopy(each: NatsSession, id: string, archive: string, live: string) {
    const fileSystem = memoryFileSystem({ clock: ports.clock });
    fileSystem.makeDirectory('/repair');
    const [path, target] = [`/repair/${journalName(id)}`, '/repair/repaired'];
    const file = fileSystem.open(path, 'create', 0o600);
    const source = await sourceOf(each, each.layout.subject(id, live));
    if (source) for await (const chunk of bytesOf(source, 0, source.stat().size)) file.write(chunk);
    source?.close();
    file.close();
    const result = await repairJournal({ fileSystem, clock: ports.clock }, { id, path, target, archive });
    return { result, bytes: readFile(fileSystem, target) };
  }

  return {
    archive: (id, suffix) =>
      access.whileJournalHeld(id, async (each, held, live) => {
        const { record } = held;
        const archive = freeArchiveName(record, id, suffix);
        await fence(each, ports, { ...access.name(id), generation: live });
        await removeDocuments(each, id);
        const archived = [...record.archived, { name: archive, generation: live }];
        await access.change(each, id, held, { ...record, live: undefined, archived });
        return archive;
      }),
    archiveDocument: async (id) => {
      throw new OllmError('SESSION_NOT_FOUND', `There is no session ${id} of an older form here.`, { data: { id } });
    },
    replace: (id, successor) =>
      replaced(id, successor, async (each, archive) => {
        const created = await successor.created(archive);
        const { fill, seal } = successor;
        return fillGeneration(each, ports, access.name(id), { created, fill, seal });
      }),
    async repair(id) {
      let result: Awaited<ReturnType<typeof repairJournal>> | undefined;
      const archive = await replaced(id, { suffix: 'damaged' }, async (each, archiveName, live) => {
        const repaired = await repairedCopy(each, id, archiveName, live);
        result = repaired.result;
        return storeGeneration(each, ports, access.name(id), [repaired.bytes]);
      });
      return { archive, kept: result!.kept, findings: result!.findings };
    },
  };
}

export function trashOf(access: NatsAccess): Trash {
  const { ports } = access;
  return {
    trash: (id) =>
      access.whileJournalHeld(id, async (each, held, live) => {
        const { record } = held;
        const bytes = (await fence(each, ports, { ...access.name(id), generation: live }))?.size ?? 0;
        await removeDocuments(each, id);
        // Later than every other entry of this id, also after the clock stepped back: the newest was deleted last.
        const afterNewest = record.trash.map((trashed) => Date.parse(trashEntry(id, trashed).deletedAt) + 1000);
        const entry = freeName(
          Math.max(ports.clock.now(), ...afterNewest),
          (stamp) => `${id}.${stamp}`,
          (other) => record.trash.some((trashed) => trashed.entry === other),
        );
        const { suspects } = record;
        const trashed = { entry, generation: live, bytes, trashedMs: await serverTime(each), suspects };
        const trash = [...record.trash, trashed];
        await access.change(each, id, held, { ...record, live: undefined, suspects: undefined, trash });
        return trashEntry(id, trashed);
      }),
    async listTrash({ deletedBeforeMs = Number.POSITIVE_INFINITY } = {}) {
      const records = await allRecords(await access.open());
      const entries = [...records].flatMap(([id, { trash }]) => trash.map((trashed) => trashEntry(id, trashed)));
      const wanted = entries.filter(({ deletedAt }) => Date.parse(deletedAt) < deletedBeforeMs);
      return wanted.sort((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
    },
    async restore(id) {
      const check = ({ record }: HeldRecord) => {
        if (record.live !== undefined) throw isThereAgain(id);
        if (record.trash.length === 0) throw notInTrash(id);
      };
      check(await readRecord(await access.open(), access.name(id).id));
      await access.whileHeld(id, async (each, held) => {
        check(held);
        const { record } = held;
        const [first, ...others] = [...record.trash].sort((a, b) => (a.entry < b.entry ? 1 : -1));
        const { generation, suspects = [] } = first!;
        // A restored session counts as used now, or retention would take it away again: an empty message dates it.
        await fence(each, ports, { ...access.name(id), generation });
        const all = [...(record.suspects ?? []), ...suspects];
        await access.change(each, id, held, { ...record, live: generation, suspects: all, trash: others });
      });
    },
    purge: async (entry) => purgeTrashed(await access.open(), ports, entry),
  };
}

function trashEntry(id: string, { entry, bytes }: SessionRecord['trash'][number]): TrashEntry {
  return { id, entry, bytes, deletedAt: parseTrashEntry(entry)?.deletedAt ?? '' };
}
