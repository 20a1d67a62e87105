// A log of JSON lines in a file of its own, for a later reader; never the terminal. Nothing is opened, and pino not
// loaded, before the first line that counts. The file has mode 0600 and is bounded: at 5 MiB it becomes `<file>.old`,
// and a new one begins. A log that cannot be written is silent: it never gets in the way of the work.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Logger, LoggerOptions } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { FileHandle, FileSystem } from './files/file-system.ts';
import { nodeFileSystem } from './files/node-file-system.ts';
import type { Log, LogFields, LogLevel } from './log.ts';

export interface FileLogOptions {
  readonly file: string;
  /** The least serious that is written. */
  readonly level: LogLevel;
  /** Takes secrets out of every text before it is written. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly fileSystem?: FileSystem | undefined;
  readonly clock?: Clock | undefined;
}

export interface FileLog extends Log {
  /** Lines written after this are dropped. */
  close(): void;
}

const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** More of one text than this helps no reader, and would crowd out the rest. */
const MAX_TEXT_LENGTH = 8192;
const MAX_DEPTH = 6;
const OPEN_TO_OTHERS = 0o077;
const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

export function openLog(options: FileLogOptions): FileLog {
  const { level, redact = (text: string) => text, clock = systemClock } = options;
  const sink = rotatingFile(options.file, options.fileSystem ?? nodeFileSystem);
  const written = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  let logger: Logger | undefined;

  const method = (name: LogLevel) => (fields: LogFields, message: string) => {
    if (!written.includes(name)) return;
    const { service, operation, action = hintOf(fields.error), ...context } = fields;
    logger ??= newLogger(level, clock, sink);
    const line = { service, operation, context: Object.keys(context).length > 0 ? context : undefined, action };
    logger[name](plain(line, redact), clipped(redact(message)));
  };

  return {
    error: method('error'),
    warn: method('warn'),
    info: method('info'),
    debug: method('debug'),
    close: sink.close,
  };
}

interface Sink {
  write(line: string): void;
  close(): void;
}

function newLogger(level: LogLevel, clock: Clock, sink: Sink): Logger {
  const pino = createRequire(import.meta.url)('pino') as (options: LoggerOptions, sink: Sink) => Logger;
  const options: LoggerOptions = {
    level,
    base: { pid: process.pid },
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
  };
  return pino(options, sink);
}

function rotatingFile(path: string, fileSystem: FileSystem): Sink {
  let handle: FileHandle | undefined;
  let isClosed = false;

  function drop(): void {
    handle?.close();
    handle = undefined;
  }

  function write(line: string): void {
    const bytes = new TextEncoder().encode(line);
    handle ??= openForAppending(fileSystem, path);
    if (handle.stat().size + bytes.length > MAX_FILE_BYTES) {
      // A different process may have begun the new file already; then this handle is on the old one.
      const isStillThere = fileSystem.stat(path)?.inode === handle.stat().inode;
      drop();
      if (isStillThere) fileSystem.rename(path, `${path}.old`);
      handle = openForAppending(fileSystem, path);
    }
    handle.write(bytes);
  }

  return {
    write(line) {
      if (isClosed) return;
      try {
        write(line);
      } catch {
        // There is nowhere left to report it; the next line tries again.
        drop();
      }
    },
    close() {
      isClosed = true;
      drop();
    },
  };
}

function openForAppending(fileSystem: FileSystem, path: string): FileHandle {
  const stat = fileSystem.stat(path);
  if (stat === undefined) {
    fileSystem.makeDirectory(dirname(path));
    return fileSystem.open(path, 'create', 0o600);
  }
  if (stat.kind === 'file' && (stat.mode & OPEN_TO_OTHERS) !== 0) fileSystem.changeMode(path, 0o600);
  return fileSystem.open(path, 'append');
}

/** The hint of an error of ollm. */
function hintOf(error: unknown): string | undefined {
  const { hint } = (error ?? {}) as { readonly hint?: unknown };
  return typeof hint === 'string' ? hint : undefined;
}

/**
 * What JSON can hold, bounded, with every text redacted. Errors keep what helps: name, code, message, data, stack,
 * cause.
 */
function plain(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return clipped(redact(value));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  const inner = (member: unknown) => plain(member, redact, depth + 1);
  if (Array.isArray(value)) return value.slice(0, 100).map(inner);
  if (isError(value)) {
    const { name, code, message, hint, data, stack, cause } = value;
    return plain({ name, code, message, hint, data, stack, cause }, redact, depth);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message: unknown;
  readonly hint?: unknown;
  readonly data?: unknown;
  readonly stack: unknown;
  readonly cause?: unknown;
}

/**
 * Not by its class: an error may come from another realm. Its members are not enumerable, so a copy is not taken for
 * one.
 */
function isError(value: object): value is ErrorLike {
  return 'message' in value && 'stack' in value && !Object.keys(value).includes('stack');
}

function clipped(text: string): string {
  const left = text.length - MAX_TEXT_LENGTH;
  return left > 0 ? `${text.slice(0, MAX_TEXT_LENGTH)}… (${left} more)` : text;
}
