// `ollm files` and `/files`: what discovery finds below a directory, and what changes there.
import { relative, resolve, sep } from 'node:path';
import type { ChangeType, DiscoveryReport, FileEntry } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { discoverySettings } from './discovery-settings.ts';

export interface FilesRequest {
  /** Relative to the working directory, which is the default. */
  readonly root?: string | undefined;
  /** Levels below the root; default: the configuration's. */
  readonly depth?: number | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundFiles {
  /** Files alone, in the order of their paths. */
  readonly files: readonly FileEntry[];
  readonly report: DiscoveryReport;
}

/** @throws OllmError IO_FAILED if the root is no directory, INTERRUPTED */
export async function findFiles(app: App, request: FilesRequest = {}): Promise<FoundFiles> {
  const { discover, sorted } = await import('../../discovery/walk.ts');
  const found = discover(await optionsOf(app, request));
  const files: FileEntry[] = [];
  for await (const entry of found) {
    if (request.signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    if (entry.type === 'file') files.push(entry);
  }
  return { files: sorted(files), report: found.report };
}

export interface FileChange {
  readonly event: ChangeType;
  readonly path: string;
  readonly relativePath: string;
}

export interface WatchRequest extends FilesRequest {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Called once, when every later change will be told. */
  readonly onReady?: (() => void) | undefined;
  readonly onProblem?: ((problem: OllmError) => void) | undefined;
}

/** Changes as they come, until the signal. They wait for whoever takes them. @throws OllmError IO_FAILED */
export async function* watchFiles(app: App, request: WatchRequest): AsyncGenerator<FileChange, void, void> {
  const { watchChanges } = await import('../../discovery/watch.ts');
  const { signal, onProblem } = request;
  const { root, followSymlinks: _, ...options } = await optionsOf(app, request);
  let waiting: FileChange[] = [];
  let stirred = Promise.withResolvers<void>();
  const stir = () => stirred.resolve();

  const watch = watchChanges(
    root,
    (event, path) => {
      waiting.push({ event, path, relativePath: relative(root, path).split(sep).join('/') });
      stir();
    },
    { ...options, onProblem },
  );
  signal.addEventListener('abort', stir, { once: true });
  void watch.ready.then(() => {
    if (!signal.aborted) request.onReady?.();
  });
  try {
    while (!signal.aborted) {
      await stirred.promise;
      stirred = Promise.withResolvers();
      const taken = waiting;
      waiting = [];
      yield* taken;
    }
  } finally {
    signal.removeEventListener('abort', stir);
    watch.dispose();
  }
}

async function optionsOf(app: App, { root = '.', depth, include, exclude }: FilesRequest) {
  const settings = await discoverySettings(app);
  return {
    ...settings,
    root: resolve(app.cwd, root),
    maxDepth: depth ?? settings.maxDepth,
    includePatterns: include,
    excludePatterns: exclude,
  };
}
