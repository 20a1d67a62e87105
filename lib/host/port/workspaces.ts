/** A directory in which a session may be started. */
export interface Workspace {
  /** Absolute, with its links resolved. */
  readonly path: string;
  /** Why it may be used: a setting (`server.workspaces`), a session that ran there, or the owner opened it. */
  readonly because: 'setting' | 'session' | 'opened';
}
