// What a program that lists again and again remembers of the files of other programs. A later list looks at the
// directories, at the catalogue, and at the files that changed last; at every file only where a directory or the
// catalogue has changed, and once a minute, so that an older session that goes on is seen by then.
import { dirname, join } from 'node:path';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { App } from '../app.ts';
import type { FoundDrafts, RowDraft } from './draft.ts';

const ALL_AGAIN_MS = 60_000;
/** Clocks of disks tick slowly: a directory that changed less than this ago may change again with the same time. */
const SETTLED_AFTER_MS = 2_000;
/** Files that are looked at in each list. */
const MOST_LOOKED_AT = 100;

interface DraftsLook {
  readonly agent: string;
  /** Where its sessions are. */
  readonly places: readonly string[];
  readonly imports: ReadonlySet<string>;
  /** See `catalogStamp`. */
  readonly catalog: string;
  /** Looks at every file. */
  all(): Promise<FoundDrafts>;
  /** Looks at one again; the same object if nothing has changed. */
  again(draft: RowDraft): RowDraft;
}

interface Kept {
  readonly found: FoundDrafts;
  readonly watched: readonly string[];
  readonly stamp: string | undefined;
  readonly imports: string;
  readonly sinceMs: number;
}

export class ForeignDrafts {
  readonly #app: Pick<App, 'fileSystem' | 'clock' | 'paths'>;
  readonly #kept = new Map<string, Kept>();

  constructor(app: Pick<App, 'fileSystem' | 'clock' | 'paths'>) {
    this.#app = app;
  }

  /** Changes with the catalogue: asked once for each list. */
  catalogStamp(): string {
    const { fileSystem, paths } = this.#app;
    const path = join(paths.home, CATALOG_NAME);
    const stats = [path, `${path}-wal`].map((each) => fileSystem.stat(each));
    return stats.map((stat) => (stat?.size ? `${stat.inode} ${stat.size} ${stat.changedNs}` : '')).join(' ');
  }

  /** Returns the same object as before if nothing has changed. */
  async of(look: DraftsLook): Promise<FoundDrafts> {
    const kept = this.#kept.get(look.agent);
    const imports = [...look.imports].filter((id) => id.startsWith(`${look.agent}-`)).join();
    if (kept !== undefined && kept.imports === imports && this.#holds(kept, look)) {
      const { drafts } = kept.found;
      const newest = drafts.slice(0, MOST_LOOKED_AT).map(look.again);
      if (newest.every((draft, index) => draft === drafts[index])) return kept.found;
      const found = { ...kept.found, drafts: [...newest, ...drafts.slice(MOST_LOOKED_AT)] };
      this.#kept.set(look.agent, { ...kept, found });
      return found;
    }
    const sinceMs = this.#app.clock.monotonic();
    const all = await look.all();
    const found = { ...all, drafts: [...all.drafts].sort(newestFirst) };
    const watched = watchedOf(look.places, found);
    this.#kept.set(look.agent, { found, watched, stamp: this.#stampOf(watched, look), imports, sinceMs });
    return found;
  }

  #holds({ watched, stamp, sinceMs }: Kept, look: DraftsLook): boolean {
    if (stamp === undefined || this.#app.clock.monotonic() - sinceMs >= ALL_AGAIN_MS) return false;
    return this.#stampOf(watched, look) === stamp;
  }

  /** Changes with the names in a directory, and with the catalogue. Undefined where a change may not show. */
  #stampOf(watched: readonly string[], { catalog }: DraftsLook): string | undefined {
    const { fileSystem, clock } = this.#app;
    const settled = BigInt(Math.floor(clock.now() - SETTLED_AFTER_MS)) * 1_000_000n;
    const stamps = [catalog];
    try {
      for (const path of watched) {
        const stat = fileSystem.stat(path);
        if (stat !== undefined && (stat.changedNs === undefined || stat.changedNs > settled)) return undefined;
        stamps.push(stat === undefined ? '' : `${stat.inode} ${stat.changedNs}`);
      }
      return stamps.join('\n');
    } catch {
      return undefined;
    }
  }
}

function newestFirst({ looked: a }: RowDraft, { looked: b }: RowDraft): number {
  return Number((b?.file?.changedNs ?? 0n) - (a?.file?.changedNs ?? 0n));
}

/** Directories that the files are in, those above them up to the place, and databases: new sessions come into them. */
function watchedOf(places: readonly string[], { drafts }: FoundDrafts): readonly string[] {
  const watched = new Set(places);
  for (const { looked } of drafts) {
    if (looked === undefined) continue;
    const { path } = looked.source;
    if (looked.agent.stored(looked.source).kind === 'rows') watched.add(path).add(`${path}-wal`);
    const place = places.find((each) => isInside(each, path));
    for (let folder = dirname(path); place !== undefined && !watched.has(folder); folder = dirname(folder)) {
      watched.add(folder);
    }
  }
  return [...watched];
}
