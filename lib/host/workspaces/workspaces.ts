// In which directories a server works: those of the setting and all below them; without one, those in which ollm has a
// session, and those that the owner opened with all below them. A path is judged by where its links lead. The disk, the
// user's home and ollm's own directory cannot be opened.
import { isAbsolute } from 'node:path';
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { App } from '../../app/app.ts';
import { whyNoProject } from '../../app/start/no-project.ts';
import { changeOwnDocument, readOwnDocument } from '../../app/start/own-document.ts';
import { OllmError } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { Apps } from './apps.ts';

interface WorkspacesOptions {
  readonly app: App;
  readonly apps: Apps;
  /** Directories of the sessions that there are. */
  readonly directoriesOfSessions: () => Promise<readonly string[]>;
}

/** A directory in which a session may be started, and why. */
type Workspace = FromSchema<typeof SHAPES.Workspace>;

const OPENED = 'workspaces.json';
const MOST_OPENED = 1_000;
const LONGEST_PATH = 4_096;

export class Workspaces {
  readonly #options: WorkspacesOptions;
  /** Where the server was started: as it was then. */
  readonly #own: string | undefined;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#own = directoryAt(options.app, options.app.cwd);
  }

  /**
   * The directory of a path, absolute and with its links resolved.
   * @throws OllmError WORKSPACE_NOT_ALLOWED: not absolute, not there, not a directory, or not one that may be used. The
   * answer is the same for all four, so that it says nothing about the disk.
   */
  async resolve(path: string): Promise<string> {
    const { app } = this.#options;
    const real = directoryAt(app, path);
    if (real === undefined) throw notAllowed();
    const { workspaces } = app.config.server;
    if (workspaces.length > 0) {
      if (realOf(app, workspaces).some((root) => isInside(root, real))) return real;
      throw notAllowed();
    }
    if (real === this.#own) return real;
    if (unchanged(app, opened(app)).some((root) => isInside(root, real))) return real;
    const directories = await this.#options.directoriesOfSessions();
    if (unchanged(app, directories).includes(real)) return real;
    throw notAllowed();
  }

  /**
   * The workspaces that are known by name: directories of the setting itself, those of sessions, those that were
   * opened.
   */
  async list(): Promise<readonly Workspace[]> {
    const { app, directoriesOfSessions } = this.#options;
    const { workspaces } = app.config.server;
    const sessions = unchanged(app, await directoriesOfSessions());
    const roots = realOf(app, workspaces);
    const named: Workspace[] =
      workspaces.length > 0
        ? [
            ...roots.map((path) => ({ path, because: 'setting' }) as const),
            ...sessions
              .filter((path) => roots.some((root) => isInside(root, path)))
              .map((path) => ({ path, because: 'session' }) as const),
          ]
        : [
            ...unchanged(app, [this.#own ?? [], ...opened(app)].flat()).map(
              (path) => ({ path, because: 'opened' }) as const,
            ),
            ...sessions.map((path) => ({ path, because: 'session' }) as const),
          ];
    const byPath = new Map(named.toReversed().map((each) => [each.path, each]));
    return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /**
   * Allows one, permanently: as the owner at the machine.
   * @throws OllmError WORKSPACE_NOT_ALLOWED: not a directory, or the disk, the user's home or ollm's own directory
   */
  async open(path: string): Promise<Workspace> {
    const { app } = this.#options;
    const real = directoryAt(app, path);
    if (real === undefined) throw notAllowed();
    const why = whyNoProject(app, real);
    if (why !== undefined) throw noWorkspace(real, why);
    await changeOwnDocument(app, OPENED, (now) => {
      const known = pathsIn(now);
      return known.includes(real) ? undefined : { format: 1, opened: [...known, real].slice(-MOST_OPENED) };
    });
    return { path: real, because: 'opened' };
  }

  /**
   * Runs `work` with the app of this workspace. The app stays as long as `work` runs, and a while afterwards.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, CONFIG_INVALID, and what `work` throws
   */
  async with<Result>(path: string, work: (app: App) => Promise<Result>): Promise<Result> {
    const using = await this.#options.apps.use(await this.resolve(path));
    try {
      return await work(using.app);
    } finally {
      using.end();
    }
  }
}

/** Where a path leads, if that is a directory. */
function directoryAt({ fileSystem }: App, path: string): string | undefined {
  if (!isAbsolute(path) || path.length > LONGEST_PATH || path.includes('\0')) return undefined;
  const real = realPathOf(fileSystem, path);
  return real !== undefined && fileSystem.stat(real)?.kind === 'directory' ? real : undefined;
}

/** The real paths of existing directories. */
function realOf(app: App, paths: readonly string[]): string[] {
  return [...new Set(paths)].flatMap((path) => directoryAt(app, path) ?? []);
}

/**
 * Directories that are still at the same path: they were stored with their links resolved, and a tool may have put a
 * link there since.
 */
function unchanged(app: App, paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => directoryAt(app, path) === path);
}

function opened(app: App): readonly string[] {
  return pathsIn(readOwnDocument(app, OPENED)).filter((path) => whyNoProject(app, path) === undefined);
}

function pathsIn(document: unknown): readonly string[] {
  const { format, opened: paths } = (document ?? {}) as { readonly format?: unknown; readonly opened?: unknown };
  if (format !== 1 || !Array.isArray(paths)) return [];
  return paths.filter((path) => typeof path === 'string');
}

/** Gives equal answers for all faults, because an answer must reveal nothing about the disk. */
function noWorkspace(path: string, why: string): OllmError {
  return new OllmError('WORKSPACE_NOT_ALLOWED', `${path} is ${why}, not a project.`, {
    hint: 'Open the directory of one project. A directory that holds several can be named in server.workspaces.',
  });
}

function notAllowed(): OllmError {
  return new OllmError('WORKSPACE_NOT_ALLOWED', 'This server does not work in that directory.', {
    hint: 'Open it at the machine with "ollm open", or name it in server.workspaces.',
  });
}
