// The one error class. Carries a code for programs, a fact and a remedy for people, and the cause.
// A wrong argument is one too: arguments.ts.
import { constants } from 'node:os';
import { ERROR_CODES, type ErrorCode } from './codes.ts';

/** The parts of an error in addition to its code and its sentence. */
export interface OllmErrorOptions {
  /** What to do about it, as a sentence. */
  readonly hint?: string;
  /** Facts for programs: ids, paths, offsets. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Equal in every copy of this module: the command line loads the server from separate files. */
const MARK = Symbol.for('ollm.error');

/**
 * A failure that ollm knows.
 *
 * @example
 * try { store.openReader('nope'); } catch (error) {
 *   if (isOllmError(error, 'SESSION_NOT_FOUND')) console.log(error.hint);
 * }
 */
export class OllmError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  readonly [MARK] = true;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: OllmErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OllmError';
    this.code = code;
    this.hint = options.hint;
    this.data = options.data ?? {};
  }

  /** For `JSON.stringify`, which would leave out the message. Without the cause, whose members are not known. */
  toJSON(): Pick<OllmError, 'code' | 'message' | 'hint' | 'data'> {
    const { code, message, hint, data } = this;
    return { code, message, hint, data };
  }

  /** The exit code of the command line. */
  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/**
 * Whether `error` is an OllmError, and if `code` is given, one with that code.
 *
 * @example
 * if (isOllmError(error, 'JOURNAL_LOCKED')) console.log(error.hint);
 */
export function isOllmError(error: unknown, code?: ErrorCode): error is OllmError {
  return error instanceof OllmError && (code === undefined || error.code === code);
}

/** The `code` of an error of the operating system (`ENOENT`, `EIO`, …), else `undefined`. */
export function systemErrorCode(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  if (typeof code !== 'string') return undefined;
  if (/^E[A-Z0-9]+$/.test(code)) return code;
  // Node has no name for some, such as that of a used-up quota: “UNKNOWN”, or “Unknown system error -122”.
  return /^unknown/i.test(code) ? NAMES_BY_NUMBER.get(Number(errno)) : undefined;
}

/** Whether it is an error of the operating system. */
export function isSystemError(error: unknown): boolean {
  return systemErrorCode(error) !== undefined;
}

/**
 * The result of the work; undefined where an error of this kind ends it. Any other error is thrown.
 *
 * @example
 * const names = unless(isSystemError, () => fileSystem.readNames(path)) ?? [];
 */
export function unless<Result>(
  isExpected: (error: unknown) => boolean,
  work: () => Promise<Result>,
): Promise<Result | undefined>;
export function unless<Result>(isExpected: (error: unknown) => boolean, work: () => Result): Result | undefined;
export function unless(isExpected: (error: unknown) => boolean, work: () => unknown): unknown {
  const passOver = (error: unknown): void => {
    if (!isExpected(error)) throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(passOver) : result;
  } catch (error) {
    return passOver(error);
  }
}

const NAMES_BY_NUMBER: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [-number, name]),
);

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | null | undefined)?.message ?? error);
}
