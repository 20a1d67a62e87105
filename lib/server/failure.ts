// The answer to a request that was not done: the code, the sentence and the status.
import { API_ERRORS, type ApiErrorCode, type ErrorBody, statusOf } from '../api/errors.ts';
import type { FromSchema } from '../api/from-schema.ts';
import type { SHAPES } from '../api/shapes.ts';
import { isOllmError } from '../errors/index.ts';

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

interface RouteFailure extends ErrorBody {
  readonly status: number;
}

export function failureOf(error: unknown): RouteFailure {
  if (error instanceof ApiFailure) {
    const { code, message, details } = error;
    return { status: API_ERRORS[code].status, code, message, details };
  }
  if (isOllmError(error)) {
    const { message, hint, data } = error;
    const code = data.vanished === true ? 'SESSION_HISTORY_NOT_AVAILABLE' : error.code;
    return { status: statusOf(error.code), code, message, hint, details: data };
  }
  return { status: 500, code: 'INTERNAL', message: 'A fault in ollm itself: its log says more.' };
}

export function failureBody({ code, message, hint, details }: ErrorBody): FromSchema<(typeof SHAPES)['Error']> {
  return { success: false, error: { code, message, ...(hint && { hint }), ...(details && { details }) } };
}
