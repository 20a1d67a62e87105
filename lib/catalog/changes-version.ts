// A file of its own, so that a look whether a session has changed loads nothing that reads its changes.

/** Raised when the same events give different rows. */
export const CHANGES_VERSION = 1;
