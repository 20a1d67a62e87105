// Directories in which this host works.
import type { App } from '../../app/app.ts';

/** A directory in which a session may be started. */
export interface Workspace {
  /** Absolute, with its links resolved. */
  readonly path: string;
  /** Why it may be used: a setting (`server.workspaces`), a session that ran there, or the owner opened it. */
  readonly because: 'setting' | 'session' | 'opened';
}

export interface WorkspacesPort {
  /**
   * The directory of a path, absolute and with its links resolved.
   * @throws OllmError WORKSPACE_NOT_ALLOWED: not absolute, not there, not a directory, or not one that may be used. The
   * answer is the same for all four, so that it says nothing about the disk.
   */
  resolve(path: string): Promise<string>;
  /**
   * The workspaces that are known by name: directories of the setting itself, those of sessions, those that were
   * opened.
   */
  list(): Promise<readonly Workspace[]>;
  /**
   * Allows one, permanently: as the owner at the machine.
   * @throws OllmError WORKSPACE_NOT_ALLOWED: not a directory, or the disk, the user's home or ollm's own directory
   */
  open(path: string): Promise<Workspace>;
  /**
   * Runs `work` with the app of this workspace. The app stays as long as `work` runs, and a while afterwards.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, CONFIG_INVALID, and what `work` throws
   */
  with<Result>(path: string, work: (app: App) => Promise<Result>): Promise<Result>;
}
