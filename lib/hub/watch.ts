// Keeps importing as other programs write. What counts is a walk over their places: at the start, every 30 seconds, and
// soon after a hint. Hints come from watching the directories that changed lately, and may be missing or too many. The
// catalogue is brought up to date after the first walk, and after a change once nothing more is written.
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { formatAddress } from '../agents/address.ts';
import { contentOf, type SessionContent } from '../agents/session-content.ts';
import { isInside } from '../platform/files/inside.ts';
import { isSettled } from '../platform/files/settled.ts';
import type { FileSystem } from '../platform/index.ts';
import { systemSleep, waitFor } from '../platform/waiting.ts';
import { logOf } from './find-sources.ts';
import { type FoundSource, type ImportReport, type ImportRequest, importSessions } from './import.ts';
import type { WishedSources } from './import-sources.ts';

export interface HubWatchOptions extends Omit<ImportRequest, 'sources' | 'areNamed' | 'again' | 'notesContent'> {
  readonly fileSystem: Pick<FileSystem, 'stat'>;
  /** Every session that is there now. */
  readonly find: () => Promise<WishedSources>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Ends after one walk. */
  readonly once?: boolean | undefined;
  readonly signal: AbortSignal;
  /**
   * Watches directories until it is closed; `onHint` may be called at any time. Undefined: only the walk finds changes.
   */
  readonly hints?: ((directories: readonly string[], onHint: () => void) => Promise<Hints>) | undefined;
  /**
   * Brings the catalogue up to date; the walks go on meanwhile. False: it could not, and is asked again after another
   * walk. Never rejects.
   */
  readonly index?: (() => Promise<boolean>) | undefined;
  /** Called after each walk that found something new, and after the first. */
  readonly onWalk?: ((walk: WatchedWalk) => void) | undefined;
}

export interface Hints {
  watch(directories: readonly string[]): void;
  close(): Promise<void>;
}

export interface WatchedWalk {
  readonly report: ImportReport;
  /** Addresses of sessions that are gone and had not been imported. */
  readonly lost: readonly string[];
}

const WALK_MS = 30_000;
/** A burst of changes is waited for. */
const SETTLE_MS = 500;
/** What changed a shorter time ago is read once more by the next look: see `isSettled`. */
const QUIET_MS = 2_500;
const LATELY_MS = 14 * 24 * 3_600_000;

/** Ends without an error once `signal` is aborted. @throws as `importSessions` */
export async function watchSources(options: HubWatchOptions): Promise<void> {
  const { find, signal, once = false, onWalk, hints } = options;
  const seen = new Seen(options);
  const indexing = new Indexing(options);
  let watcher: Hints | undefined;
  let wake = Promise.withResolvers<void>();
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      wake = Promise.withResolvers<void>();
      const { hasChanged, ...walk } = await walkOnce(options, seen, await find());
      const { imported, grown, again, skipped, contradictions, damage } = walk.report;
      const news = imported + grown + again + skipped.length + contradictions.length + walk.lost.length;
      if (isFirst || news > 0 || damage !== undefined) onWalk?.(walk);
      if (isFirst || hasChanged) indexing.want();
      if (once) return indexing.begin();
      const lately = seen.directoriesSince(options.now() - LATELY_MS);
      if (watcher === undefined) watcher = await hints?.(lately, () => wake.resolve());
      else watcher.watch(lately);
      await indexing.afterQuiet(wake.promise);
      const waited = await waitFor(wake.promise, { signal, timeoutMs: WALK_MS });
      if (waited.kind === 'done') await systemSleep(SETTLE_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await watcher?.close();
    await indexing.end();
  }
}

/** When the catalogue is brought up to date. */
class Indexing {
  readonly #options: Pick<HubWatchOptions, 'index' | 'now' | 'signal'>;
  /** Since when it lacks something, in milliseconds since 1970. Undefined: it lacks nothing that was seen. */
  #behindSince: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: Pick<HubWatchOptions, 'index' | 'now' | 'signal'>) {
    this.#options = options;
  }

  want(): void {
    this.#behindSince ??= this.#options.now();
  }

  /**
   * Begins an indexing that is wanted once no hint has come for a moment, or at the latest after the time of a walk.
   * `hint`: a promise that resolves with the next hint.
   */
  async afterQuiet(hint: Promise<void>): Promise<void> {
    const { now, signal } = this.#options;
    if (this.#behindSince === undefined || this.#running !== undefined) return;
    const { kind } = await waitFor(hint, { signal, timeoutMs: QUIET_MS });
    const isDue = kind === 'timeout' || now() - this.#behindSince >= WALK_MS;
    if (kind !== 'aborted' && isDue) this.begin();
  }

  begin(): void {
    const { index } = this.#options;
    this.#behindSince = undefined;
    this.#running = index?.().then((isWhole) => {
      this.#running = undefined;
      if (!isWhole) this.want();
    });
  }

  async end(): Promise<void> {
    await this.#running;
  }
}

async function walkOnce(
  options: HubWatchOptions,
  seen: Seen,
  found: WishedSources,
): Promise<WatchedWalk & { readonly hasChanged: boolean }> {
  const { skipped } = found;
  const { lost, changed, hasChanged } = await seen.look(found);
  const contents = new Map<string, SessionContent>();
  const report = await importSessions({
    ...options,
    sources: changed.map(({ found }) => found),
    areNamed: false,
    notesContent: true,
    onSession(session) {
      if (session.content !== undefined) contents.set(session.address, session.content);
      options.onSession?.(session);
    },
  });
  const failed = new Set([...report.skipped, ...report.held].map(({ address }) => address));
  for (const each of changed) if (!failed.has(each.address)) seen.imported(each, contents.get(each.address));
  const reasons = [...seen.newReasons(skipped), ...seen.newReasons(report.skipped)];
  return { report: { ...report, skipped: reasons }, lost, hasChanged };
}

interface ChangedSource {
  readonly found: FoundSource;
  readonly address: string;
  /** What changes when the source does. */
  readonly stamp: string;
  /** Whether each later write gives the file another stamp. */
  readonly showsMore: boolean;
}

interface SeenSource {
  readonly path: string;
  readonly stamp: string;
  /** The stamp that was imported, undefined if that failed. */
  readonly imported: string | undefined;
  /** The hash of all that was imported, of one of many sessions in a database. */
  readonly content?: string | undefined;
}

/** As many are compared in a few milliseconds. */
const COMPARED_AT_ONCE = 32;

/** Findings of the last walk. */
class Seen {
  readonly #options: Pick<HubWatchOptions, 'fileSystem' | 'files' | 'now'>;
  /** By address. */
  #seen = new Map<string, SeenSource>();
  /** By directory: milliseconds since 1970. */
  #directories = new Map<string, number>();
  readonly #reasons = new Set<string>();

  constructor(options: Pick<HubWatchOptions, 'fileSystem' | 'files' | 'now'>) {
    this.#options = options;
  }

  /** `changed`: those to import. `hasChanged`: whether one came, changed or went since the last look. */
  async look({ sources, unlisted }: WishedSources): Promise<{
    readonly changed: ChangedSource[];
    readonly lost: string[];
    readonly hasChanged: boolean;
  }> {
    const { files, now } = this.#options;
    const changed: ChangedSource[] = [];
    let hasChanged = false;
    const stamps = new Map<string, SeenSource>();
    this.#directories = new Map();
    for (const [index, found] of sources.entries()) {
      const { agent, source } = found;
      const address = formatAddress({ agent: agent.name, id: source.id });
      const { stamp, changedNs, modifiedMs } = this.#fileOf(found);
      const showsMore = isSettled({ changedNs }, now());
      const directory = dirname(source.path);
      this.#directories.set(directory, Math.max(this.#directories.get(directory) ?? 0, modifiedMs));
      const before = this.#seen.get(address);
      if (index % COMPARED_AT_ONCE === 0) await breathe();
      if (before?.imported === stamp) stamps.set(address, before);
      else if (before?.content !== undefined && contentOf(agent, source, files)?.hash === before.content) {
        // The write was to a different session in its database.
        stamps.set(address, showsMore ? { ...before, stamp, imported: stamp } : before);
      } else {
        stamps.set(address, { path: source.path, stamp, imported: before?.imported });
        hasChanged ||= before?.stamp !== stamp;
        changed.push({ found, address, stamp, showsMore });
      }
    }
    const lost: string[] = [];
    for (const [address, before] of this.#seen) {
      if (stamps.has(address)) continue;
      // Sessions below a place that cannot be read now may come back.
      if (unlisted.some((path) => isInside(path, before.path))) {
        stamps.set(address, before);
        continue;
      }
      hasChanged = true;
      if (before.imported === undefined) lost.push(address);
    }
    this.#seen = stamps;
    return { changed, lost, hasChanged };
  }

  imported({ address, stamp, found, showsMore }: ChangedSource, content: SessionContent | undefined): void {
    const seen = this.#seen.get(address);
    if (seen === undefined) return;
    const isSure = content?.isCertain || (showsMore && this.#fileOf(found).stamp === stamp);
    this.#seen.set(address, { ...seen, imported: stamp, content: isSure ? content?.hash : undefined });
  }

  #fileOf({ agent, source }: FoundSource) {
    const { fileSystem } = this.#options;
    const stats = [fileSystem.stat(source.path), logOf(agent, source, fileSystem)];
    return {
      stamp: stats.map((stat) => `${stat?.inode} ${stat?.size} ${stat?.modifiedMs} ${stat?.changedNs}`).join(' '),
      changedNs: stats.reduce((last, stat) => ((stat?.changedNs ?? 0n) > last ? stat!.changedNs! : last), 0n),
      modifiedMs: Math.max(...stats.map((stat) => stat?.modifiedMs ?? 0)),
    };
  }

  directoriesSince(timeMs: number): string[] {
    return [...this.#directories].filter(([, changedMs]) => changedMs >= timeMs).map(([directory]) => directory);
  }

  /** Each reason is reported once. */
  newReasons(skipped: ImportReport['skipped']): ImportReport['skipped'] {
    return skipped.filter(({ address, reason }) => {
      const text = `${address} ${reason}`;
      if (this.#reasons.has(text)) return false;
      this.#reasons.add(text);
      return true;
    });
  }
}
