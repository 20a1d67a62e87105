// What an answer of the catalogue says of sessions that are not in it.

/** The catalogue is written to by another process, or by another thread of a server. */
export const SYNCED_ELSEWHERE = 'Another process brings the catalogue up to date: what is new may be missing.';
/** A first sync was cut short. */
export const NOT_ALL_INDEXED = 'Sessions of other programs are not all indexed yet: "ollm sync" brings them in.';
export const NONE_INDEXED = 'Sessions of other programs are not indexed yet: "ollm sync" brings them in.';
