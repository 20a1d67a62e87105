export { ERROR_CODES, type ErrorCode, type ErrorCodeEntry } from './codes.ts';
export {
  isOllmError,
  isSystemError,
  messageOf,
  OllmError,
  type OllmErrorOptions,
  systemErrorCode,
  unless,
} from './ollm-error.ts';
