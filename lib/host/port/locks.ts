// Encrypted sessions.

/** Encrypted sessions that a passphrase opened in this host. Their keys are only in memory. */
export interface LocksPort {
  /**
   * Opens a session by its passphrase, until `lock`, or until it was not used for 15 minutes: no client follows it, and
   * no turn of it runs or waits. One passphrase is tried at a time.
   * @throws OllmError SESSION_NOT_FOUND, KEY_WRONG, KEY_UNUSABLE, SESSION_ENCRYPTED (a key file opens it); BUSY, with
   * `data.retryAfterMs`: one is being tried, or five in a row were wrong
   * @returns its full id, as does `lock`
   */
  unlock(id: string, passphrase: string): Promise<string>;
  /**
   * Forgets its key, and ends its subscriptions. Sessions that the same passphrase opened with it, such as its forks,
   * are locked too.
   * @throws OllmError SESSION_BUSY: a turn runs or waits in one of them
   */
  lock(id: string): Promise<string>;
  /** Ids of those that a passphrase has opened. */
  unlocked(): ReadonlySet<string>;
}
