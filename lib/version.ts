// The version that is written into each journal and printed by --version. A test holds it against package.json.
export const VERSION = '0.1.0';
