// What a program that lists again and again remembers of the files of other programs. A later list looks at the
// directories, at the catalogue, and at the files that changed last. It looks at each file of a directory that changed,
// and reads the rows of the catalogue if that changed. All files are looked at once a minute, so that an older session
// that goes on is seen by then.
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { revisionsIn } from '../../catalog/listed-sessions.ts';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { KnownDirectories } from '../../platform/disks/known-directories.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { FileSystem } from '../../platform/index.ts';
import type { App } from '../app.ts';
import { draftKey, type FoundDrafts, type LookBefore, type RowDraft } from './draft.ts';

const ALL_AGAIN_MS = 60_000;
/** Files that are looked at in each list. */
const MOST_LOOKED_AT = 100;

type DraftsPorts = Pick<App, 'fileSystem' | 'clock' | 'paths' | 'catalog'>;

interface DraftsLook {
  readonly agent: string;
  /** Where its sessions are. */
  readonly places: readonly string[];
  readonly imports: ReadonlySet<string>;
  /** See `catalogStamps`. */
  readonly catalog: string;
  /** Looks at every file, or at those that may have changed since `before`. */
  all(before: LookBefore | undefined): Promise<FoundDrafts>;
  /** Looks at one again; the same object if nothing has changed. */
  again(draft: RowDraft): RowDraft;
}

interface Kept {
  readonly found: FoundDrafts;
  /** By their paths, the directories and databases in which sessions come and go; see `KnownDirectories.stampOf`. */
  readonly stamps: ReadonlyMap<string, string | undefined>;
  readonly catalog: string;
  readonly catalogued: FoundDrafts['catalogued'];
  readonly imports: string;
  /** When all files were looked at. */
  readonly sinceMs: number;
}

export class ForeignDrafts {
  readonly #app: DraftsPorts;
  /** The file of the catalogue as it was, and the revision of each program's sessions in it. */
  #catalog: { readonly file: string; readonly revisions: ReadonlyMap<string, number> | undefined } | undefined;
  readonly #kept = new Map<string, Kept>();
  readonly #directories: KnownDirectories;
  /** Through which sessions are looked for. */
  readonly fileSystem: FileSystem;

  constructor(app: DraftsPorts) {
    this.#app = app;
    this.#directories = new KnownDirectories(app);
    this.fileSystem = this.#directories.fileSystem();
  }

  /** A text for each program that changes when the catalogue says something else of its sessions. */
  async catalogStamps(): Promise<(agent: string) => string> {
    const { fileSystem, paths, catalog } = this.#app;
    const path = join(paths.home, CATALOG_NAME);
    const stats = [path, `${path}-wal`].map((each) => fileSystem.stat(each));
    const file = stats.map((stat) => (stat?.size ? `${stat.inode} ${stat.size} ${stat.changedNs}` : '')).join(' ');
    if (this.#catalog?.file !== file) {
      const asked = await catalog.ask(revisionsIn);
      this.#catalog = { file, revisions: asked.kind === 'done' ? asked.value : undefined };
    }
    const { revisions } = this.#catalog;
    return revisions === undefined ? () => file : (agent) => `${stats[0]?.inode} ${revisions.get(agent)}`;
  }

  /** Returns the same object as before if nothing has changed. */
  async of(look: DraftsLook): Promise<FoundDrafts> {
    const start: Start = { wallMs: this.#app.clock.now(), sinceMs: this.#app.clock.monotonic() };
    const imports = [...look.imports].filter((id) => id.startsWith(`${look.agent}-`)).join();
    const kept = this.#kept.get(look.agent);
    if (kept === undefined || start.sinceMs - kept.sinceMs >= ALL_AGAIN_MS) {
      this.#directories.forget(look.places);
      const found = newestFirst(await look.all(undefined));
      return this.#keep(look, { found, catalogued: found.catalogued, imports, start });
    }
    const changed = this.#changedOf(kept);
    const isCatalogSame = kept.catalog === look.catalog;
    if (changed.size === 0 && isCatalogSame && kept.imports === imports) {
      const found = withNewest(kept.found, look);
      if (found !== kept.found) this.#kept.set(look.agent, { ...kept, found });
      return found;
    }
    const all = await look.all({
      drafts: new Map(kept.found.drafts.map((draft) => [draftKey(draft), draft])),
      catalogued: isCatalogSame ? kept.catalogued : undefined,
      isChanged: (path) => changed.has(path) || !kept.stamps.has(path),
    });
    const now = withNewest(newestFirst(all), look);
    const found = isSame(now, kept.found) ? kept.found : now;
    const since = { ...start, sinceMs: kept.sinceMs };
    return this.#keep(look, { found, catalogued: all.catalogued, imports, start: since });
  }

  #changedOf({ stamps }: Kept): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const [path, stamp] of stamps) {
      if (stamp === undefined || this.#directories.stampOf(path) !== stamp) changed.add(path);
    }
    return changed;
  }

  #keep(look: DraftsLook, { start, ...kept }: Pick<Kept, 'found' | 'catalogued' | 'imports'> & { start: Start }) {
    const watched = watchedOf(look.places, kept.found);
    const stamps = new Map(watched.map((path) => [path, this.#directories.stampOf(path, start.wallMs)]));
    this.#kept.set(look.agent, { ...kept, stamps, catalog: look.catalog, sinceMs: start.sinceMs });
    return kept.found;
  }
}

/** When a look began: by the clock of the files, and when all files were looked at, by one that never goes back. */
interface Start {
  readonly wallMs: number;
  readonly sinceMs: number;
}

function newestFirst(found: FoundDrafts): FoundDrafts {
  const timed = found.drafts.map((draft) => ({ draft, at: Number(draft.looked?.file?.changedNs ?? 0n) }));
  return { ...found, drafts: timed.sort((a, b) => b.at - a.at).map(({ draft }) => draft) };
}

/** The files that changed last are looked at again. */
function withNewest(found: FoundDrafts, look: DraftsLook): FoundDrafts {
  const { drafts } = found;
  const newest = drafts.slice(0, MOST_LOOKED_AT).map(look.again);
  if (newest.every((draft, index) => draft === drafts[index])) return found;
  return { ...found, drafts: [...newest, ...drafts.slice(MOST_LOOKED_AT)] };
}

function isSame(one: FoundDrafts, other: FoundDrafts): boolean {
  return (
    areEqual(one.drafts, other.drafts) &&
    areEqual(one.subagents, other.subagents) &&
    isDeepStrictEqual(one.unreadable, other.unreadable)
  );
}

function areEqual(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}

/** Directories that the files are in, those above them up to the place, and databases: new sessions come into them. */
function watchedOf(places: readonly string[], { drafts }: FoundDrafts): readonly string[] {
  const watched = new Set(places);
  for (const { looked } of drafts) {
    if (looked === undefined) continue;
    const { path } = looked.source;
    if (looked.agent.stored(looked.source).kind === 'rows') watched.add(path).add(`${path}-wal`);
    if (watched.has(dirname(path))) continue;
    const place = places.find((each) => isInside(each, path));
    for (let folder = dirname(path); place !== undefined && !watched.has(folder); folder = dirname(folder)) {
      watched.add(folder);
    }
  }
  return [...watched];
}
