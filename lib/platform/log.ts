// Where services say what happened, for a later reader of the log file. Never the terminal, never a secret.

/** From the most important to the least. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** What a line of the log is about, for programs. */
export interface LogFields {
  readonly service: string;
  readonly operation: string;
  /** The action that the reader can take. */
  readonly action?: string;
  readonly [context: string]: unknown;
}

/** Where the parts of ollm write what no user has to read. */
export interface Log {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
}

/** Keeps nothing. */
export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
