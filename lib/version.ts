// The version that is written into each journal and printed by --version. A test holds it against package.json.
/** The version of ollm that this is. */
export const VERSION = '0.1.0';
