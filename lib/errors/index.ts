export { ERROR_CODES, type ErrorCode, type ErrorCodeEntry } from './codes.ts';
export { isOllmError, messageOf, OllmError, type OllmErrorOptions, systemErrorCode } from './ollm-error.ts';
