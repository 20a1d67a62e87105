// Where services say what happened, for whoever looks into the log file later. Never the terminal, never a secret.

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface LogFields {
  readonly service: string;
  readonly operation: string;
  /** What the reader could do about it. */
  readonly action?: string;
  readonly [context: string]: unknown;
}

export interface Log {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
}

export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
