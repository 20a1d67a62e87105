// What a list says of a session of another program, from a look at the ends of its file. The catalogue remembers what
// was read, so that the next list, of any process, reads only the files that have changed since.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import type { CatalogRow, RowFile } from '../../catalog/catalog.ts';
import type { SourceFile } from '../../catalog/index-session.ts';
import { isClean } from '../../environment/redact-value.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { fileOf } from '../../hub/find-sources.ts';
import { isSettled } from '../../platform/files/settled.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

const TITLE_CHARACTERS = 200;
const READ_AT_ONCE = 64;
/** Is raised when the same file gives another head. */
const HEAD_VERSION = 1;

interface HeadSource {
  readonly agent: Agent;
  readonly source: Source;
  /** Where the program keeps its sessions. */
  readonly directory: string;
  /** The size, times and identity of the file when it was read. */
  readonly file: SourceFile | undefined;
}

/** `isLasting`: whether a later change of the file will show. */
interface ListedHead {
  readonly head: Head | OllmError;
  readonly isLasting: boolean;
}

/**
 * Reads the ends of each file, or has them from the catalogue. A title is on one line and without secrets; without one
 * it is the first prompt. A file that cannot be read has an error in place of a head.
 * @throws OllmError INTERRUPTED
 */
export async function listedHeads<One extends HeadSource>(
  app: App,
  sources: readonly One[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<One, ListedHead>> {
  const startedMs = app.clock.now();
  const heads = new Map<One, ListedHead>();
  const places = Map.groupBy(sources, ({ agent, directory }) => `${agent.name}\0${directory}`);
  for (const those of places.values()) {
    const [{ agent, directory }] = those as [One, ...One[]];
    const place = { agent: agent.name, directory, reader: `${HEAD_VERSION} ${agent.version}` };
    const byId = new Map(those.map((one) => [one.source.id, one]));
    const known = await app.catalog.find<Head>(place, those.flatMap(rowFileOf));
    const found: CatalogRow<Head>[] = [];
    for (const [index, one] of those.entries()) {
      if (index % READ_AT_ONCE === 0) await breathe();
      if (signal?.aborted) break;
      const isLasting = one.file !== undefined && isSettled(one.file, startedMs);
      const remembered = known.rows.get(one.source.id);
      const head = remembered ?? (await headOrError(app, one));
      heads.set(one, { head, isLasting });
      if (remembered !== undefined || !isLasting || isOllmError(head)) continue;
      for (const info of rowFileOf(one)) found.push({ info, row: head });
    }
    if (found.length > 0) {
      const redact = await app.redactor();
      app.catalog.update(place, async () => ({
        found,
        isCurrent: (info) => isSame(byId.get(info.id)!, app),
        mayStore: ({ row }) => isClean(row, (text) => redact(text).text),
      }));
    }
    // The next list continues where this one was stopped.
    if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
  }
  return heads;
}

async function headOrError(app: App, { agent, source }: HeadSource): Promise<Head | OllmError> {
  try {
    return await listedHead(app, agent, source);
  } catch (error) {
    if (isOllmError(error)) return error;
    throw error;
  }
}

/** Reads the ends of one file. @throws OllmError as `readHead` */
export async function listedHead(app: App, agent: Agent, source: Source): Promise<Head> {
  const head = readHead(agent, source, foreignPorts(app).files);
  const title = head.title ?? head.firstPrompt;
  if (title === undefined) return head;
  const redact = await app.redactor();
  const { firstPrompt: _, ...listed } = head;
  return { ...listed, title: redact(title.replace(/\s+/g, ' ').trim()).text.slice(0, TITLE_CHARACTERS) };
}

function rowFileOf({ source, file }: HeadSource): RowFile[] {
  return file === undefined ? [] : [{ id: source.id, inode: file.inode, bytes: file.size, changedNs: file.changedNs }];
}

function isSame({ agent, source, file }: HeadSource, app: App): boolean {
  const now = fileOf(agent, source, app);
  return now?.inode === file?.inode && now?.size === file?.size && now?.changedNs === file?.changedNs;
}
