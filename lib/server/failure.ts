// What a request is answered that was not done: the code, the sentence and the status.
import { API_ERRORS, type ApiErrorCode } from '../api/errors.ts';
import { type ErrorCode, isOllmError } from '../errors/index.ts';

/** A refusal of the server's own, for what no use case says. */
export class ApiFailure extends Error {
  readonly code: ApiErrorCode;
  readonly details: object | undefined;

  constructor(code: ApiErrorCode, message: string, details?: object) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The status of each error of a use case. What is not here is a fault of the server's: 500. */
const STATUSES: Partial<Readonly<Record<ErrorCode, number>>> = {
  USAGE: 400,
  CONFIG_INVALID: 400,
  SESSION_EXISTS: 409,
  SESSION_ID_INVALID: 400,
  SESSION_AMBIGUOUS: 409,
  SESSION_NOT_FOUND: 404,
  TRASH_NOT_FOUND: 404,
  SEQ_NOT_FOUND: 404,
  JOURNAL_DAMAGED: 409,
  JOURNAL_EMPTY: 409,
  JOURNAL_NOT_A_FILE: 409,
  JOURNAL_NEWER_FORMAT: 409,
  JOURNAL_EDITED: 409,
  JOURNAL_LOCKED: 409,
  SESSION_ENCRYPTED: 423,
  KEY_WRONG: 423,
  KEY_UNUSABLE: 409,
  LOOP_DETECTED: 409,
  POLICY_DENIED: 403,
  EVENT_INVALID: 400,
  PROVIDER_UNKNOWN: 400,
  PROVIDER_UNREACHABLE: 502,
  PROVIDER_FAILED: 502,
  PROVIDER_BROKEN_STREAM: 502,
  PROVIDER_TIMEOUT: 504,
  PROVIDER_KEY: 502,
  MODEL_NOT_FOUND: 404,
  CONTEXT_TOO_SMALL: 409,
  COMPACTION_FAILED: 409,
  JOURNAL_FULL: 507,
  JOURNAL_POISONED: 507,
  JOURNAL_READ_ONLY: 507,
  JOURNAL_UNREADABLE: 409,
  IO_FAILED: 503,
  SESSION_LOCKED: 409,
  SESSION_BUSY: 409,
  NOT_OWNER: 409,
  SERVER_CLOSING: 503,
  BUSY: 503,
  TIME_LIMIT: 503,
  QUEUE_FULL: 429,
  PROMPT_NOT_FOUND: 404,
  QUESTION_NOT_FOUND: 404,
  QUESTION_CHANGED: 409,
  ALREADY_DECIDED: 409,
  NOT_ALLOWED_TO_ANSWER: 403,
  WORKSPACE_NOT_ALLOWED: 403,
  UNATTENDED_NOT_ALLOWED: 403,
  THINKING_MODE_NOT_SUPPORTED: 400,
  INTERRUPTED: 409,
};

export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: object | undefined;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiFailure) {
    const { code, message, details } = error;
    return { status: API_ERRORS[code].status, code, message, details };
  }
  if (isOllmError(error)) {
    const { code, message, hint, data } = error;
    return { status: STATUSES[code] ?? 500, code, message, hint, details: data };
  }
  return { status: 500, code: 'INTERNAL', message: 'A fault in ollm itself: its log says more.' };
}

export function failureBody({ code, message, hint, details }: Omit<Failure, 'status'>): object {
  return { success: false, error: { code, message, ...(hint && { hint }), ...(details && { details }) } };
}
