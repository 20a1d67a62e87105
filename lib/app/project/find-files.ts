// `ollm files` and `/files`: what discovery finds below a directory, and what changes there.
import { relative, resolve, sep } from 'node:path';
import type { ChangeType, Discovery, DiscoveryReport, FileEntry, FoundName } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import { onAbort } from '../../platform/waiting.ts';
import type { App } from '../app.ts';
import { discoverySettings } from '../repository/discovery-settings.ts';

export interface FilesRequest {
  /** Relative to the working directory, which is the default. */
  readonly root?: string | undefined;
  /** Levels below the root; default: the configuration's. */
  readonly depth?: number | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ProjectFilesFound<File extends FoundName = FileEntry> {
  /** Only files, in the order of their paths. */
  readonly files: readonly File[];
  readonly report: DiscoveryReport;
}

/** With size and time of each. @throws OllmError IO_FAILED if the root is not a directory, INTERRUPTED */
export async function findFiles(app: App, request: FilesRequest = {}): Promise<ProjectFilesFound> {
  return collect(app, request, async function* (found) {
    for await (const entry of found) yield [entry];
  });
}

/** Only the names, in less than half the time. @throws as `findFiles` */
export async function findFileNames(app: App, request: FilesRequest = {}): Promise<ProjectFilesFound<FoundName>> {
  return collect(app, request, (found) => found.names());
}

/**
 * The path of each file, relative to the root, while the walk continues, in any order.
 * @throws OllmError IO_FAILED if the root is not a directory; the signal's reason
 */
export async function walkFileNames(app: App, request: FilesRequest, onFound: (path: string) => void): Promise<void> {
  const [{ discoverNames }, options] = await Promise.all([import('../../discovery/walk.ts'), optionsOf(app, request)]);
  await discoverNames({ ...options, signal: request.signal }, ({ type, relativePath }) => {
    if (type === 'file') onFound(relativePath);
  });
}

async function collect<File extends FoundName>(
  app: App,
  request: FilesRequest,
  take: (found: Discovery) => AsyncIterable<readonly File[]>,
): Promise<ProjectFilesFound<File>> {
  const [{ discover, sorted }, options] = await Promise.all([
    import('../../discovery/walk.ts'),
    optionsOf(app, request),
  ]);
  const found = discover(options);
  const files: File[] = [];
  for await (const some of take(found)) {
    if (request.signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    for (const file of some) if (file.type === 'file') files.push(file);
  }
  return { files: sorted(files), report: found.report };
}

interface FoundFileChange {
  readonly event: ChangeType;
  readonly path: string;
  readonly relativePath: string;
}

interface WatchRequest extends FilesRequest {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Called once; every later change is reported. */
  readonly onReady?: (() => void) | undefined;
  readonly onProblem?: ((problem: OllmError) => void) | undefined;
}

/** Changes as they come, until the signal; they wait until they are taken. @throws OllmError IO_FAILED */
export async function* watchFiles(app: App, request: WatchRequest): AsyncGenerator<FoundFileChange, void, void> {
  const { watchChanges } = await import('../../discovery/watch.ts');
  const { signal, onProblem, onReady } = request;
  const { root, followSymlinks: _, ...options } = await optionsOf(app, request);
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  yield* new ReadableStream<FoundFileChange>({
    start(changes) {
      const watch = watchChanges(
        root,
        (event, path) => {
          if (ended.aborted) return;
          changes.enqueue({ event, path, relativePath: relative(root, path).split(sep).join('/') });
        },
        { ...options, onProblem },
      );
      onAbort(ended, () => {
        watch.dispose();
        if (signal.aborted) changes.close();
      });
      void watch.ready.then(() => ended.aborted || onReady?.());
    },
    cancel: () => stop.abort(),
  });
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
