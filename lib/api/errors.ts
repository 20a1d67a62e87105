// The error answers of routes: the code, the status, and the meaning.
import { ERROR_CODES, type ErrorCode } from '../errors/codes.ts';
import type { FromSchema } from './from-schema.ts';
import type { SHAPES } from './shapes.ts';

/** The reason in an answer to a request that was not done. */
export type ErrorBody = FromSchema<(typeof SHAPES)['Error']>['error'];

interface ApiError {
  readonly status: number;
  readonly meaning: string;
}

export const API_ERRORS = {
  UNAUTHORIZED: { status: 401, meaning: 'The token or the cookie is missing or wrong.' },
  CODE_INVALID: { status: 401, meaning: 'The code of a link is wrong, was used already, or is too old.' },
  HOST_NOT_ALLOWED: { status: 403, meaning: 'The request names a host that is not one of this server.' },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    meaning: 'The request comes from a page of another origin, or does not say from which.',
  },
  GUEST_NOT_ALLOWED: { status: 403, meaning: 'A guest reads one session, and this route is more than that.' },
  NOT_FOUND: { status: 404, meaning: 'The route is unknown.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route has other methods; `Allow` names them.' },
  INVALID_PARAMETER: { status: 400, meaning: 'A parameter in the path is not of its form.' },
  INVALID_QUERY: { status: 400, meaning: 'The query has an unknown or wrong parameter.' },
  INVALID_REQUEST_BODY: { status: 400, meaning: 'The body is not JSON, or does not match the schema of the route.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not of the media type that the route takes.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than the route takes.' },
  UNSUPPORTED_PROVIDER: { status: 400, meaning: 'The provider is unknown.' },
  SESSION_NOT_FOUND: { status: 404, meaning: 'No session has this id.' },
  SESSION_HISTORY_NOT_AVAILABLE: { status: 404, meaning: 'The session is known, and its file is gone.' },
  NOT_OURS: { status: 409, meaning: 'The session belongs to another program, and ollm changes nothing there.' },
  SUMMARY_REQUIRED: { status: 400, meaning: 'A session cannot be called nothing.' },
  SUMMARY_TOO_LONG: { status: 400, meaning: 'The name of a session is longer than it may be.' },
  SESSION_ID_NOT_SUPPORTED: {
    status: 400,
    meaning: 'The agent gives its sessions their ids itself, or takes only a UUID.',
  },
  MODEL_REQUIRED: { status: 400, meaning: 'No model was named.' },
  THINKING_MODE_REQUIRED: { status: 400, meaning: 'No mode of thinking was named.' },
  INVALID_IMAGE_PATHS: { status: 400, meaning: 'An attached file cannot be read, or may not be read.' },
  INVALID_RUNTIME_PERMISSION_MODE: { status: 400, meaning: 'The mode is none of `ask`, `deny` and `allow`.' },
  PROMPT_REQUIRED: { status: 400, meaning: 'A turn needs a prompt.' },
  MCP_NAME_REQUIRED: { status: 400, meaning: 'The server has no name, or one that not every program takes.' },
  MCP_TRANSPORT_REQUIRED: { status: 400, meaning: 'The transport of the server is missing.' },
  INVALID_MCP_SCOPE: { status: 400, meaning: 'The scope is none of `user`, `local` and `project`.' },
  INVALID_MCP_TRANSPORT: { status: 400, meaning: 'The transport is none of `stdio`, `http` and `sse`.' },
  MCP_COMMAND_REQUIRED: { status: 400, meaning: 'A server of the transport `stdio` needs a command.' },
  MCP_URL_REQUIRED: { status: 400, meaning: 'A server of the transport `http` or `sse` needs an address.' },
  MCP_SCOPE_NOT_SUPPORTED: { status: 400, meaning: 'The program has no servers of this scope.' },
  MCP_TRANSPORT_NOT_SUPPORTED: { status: 400, meaning: 'The program has no servers of this transport.' },
  MCP_MEMBER_NOT_SUPPORTED: { status: 400, meaning: 'The program has no such member in its servers, such as `cwd`.' },
  MCP_SERVER_NOT_FOUND: { status: 404, meaning: 'The file of this scope has no server of this name.' },
  CHANGED_MEANWHILE: { status: 409, meaning: 'Another program changed the file meanwhile, and it was left as it is.' },
  WORKSPACE_NOT_TRUSTED: {
    status: 403,
    meaning:
      'It would start a program, or ask an address that a project names: `details` has both, and the `trust` to send.',
  },
  IMAGE_REQUIRED: { status: 400, meaning: 'No file came in the field `images`.' },
  TOO_MANY_FILES: { status: 400, meaning: 'More files came than one request takes.' },
  UNSUPPORTED_IMAGE_TYPE: { status: 400, meaning: 'The bytes are not a PNG, JPEG, GIF or WebP image.' },
  ASSET_NOT_FOUND: { status: 404, meaning: 'Nothing with this hash is kept.' },
  TOKEN_REQUIRED: { status: 403, meaning: 'Only a program with the token may do this, and no browser.' },
  BUSY: {
    status: 503,
    meaning: 'The server has as much to do as it takes on at once; `Retry-After` says when to try again.',
  },
  SHUTTING_DOWN: { status: 503, meaning: 'The server is being stopped.' },
  INTERNAL: { status: 500, meaning: 'A fault in ollm itself.' },
} as const satisfies Readonly<Record<string, ApiError>>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** The status of each error of a use case. A code that is missing here is a fault of the server: 500. */
const STATUSES = {
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
  AGENT_NOT_INSTALLED: 503,
  AGENT_NOT_SIGNED_IN: 502,
  AGENT_TOO_OLD: 503,
  AGENT_START_FAILED: 502,
  AGENT_FAILED: 502,
  AGENT_BROKEN_STREAM: 502,
  AGENT_SILENT: 504,
  MODEL_SWITCH_NOT_SUPPORTED: 400,
  RUNTIME_PERMISSION_NOT_SUPPORTED: 400,
  SANDBOX_REQUIRED: 409,
  WORKSPACE_NOT_TRUSTED: 403,
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
} as const satisfies Partial<Readonly<Record<ErrorCode, number>>>;

/** A code of the server's own, or of a use case. */
export type RouteErrorCode = ApiErrorCode | keyof typeof STATUSES;

/** The status of any error of a use case. */
export function statusOf(code: ErrorCode): number {
  return (STATUSES as Partial<Record<ErrorCode, number>>)[code] ?? 500;
}

export function errorOf(code: RouteErrorCode): ApiError {
  const own: Readonly<Record<string, ApiError>> = API_ERRORS;
  return own[code] ?? { status: statusOf(code as ErrorCode), meaning: ERROR_CODES[code as ErrorCode].meaning };
}

/** Every code that a route answers, the server's own first. */
export const ROUTE_ERRORS = [...new Set([...Object.keys(API_ERRORS), ...Object.keys(STATUSES)])] as RouteErrorCode[];

/** The errors that every route may answer with. */
export const COMMON_ERRORS = [
  'UNAUTHORIZED',
  'HOST_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'GUEST_NOT_ALLOWED',
  'INVALID_QUERY',
  'USAGE',
  'BUSY',
  'TIME_LIMIT',
  'INTERRUPTED',
  'SHUTTING_DOWN',
  'SERVER_CLOSING',
  'IO_FAILED',
  'INTERNAL',
] as const satisfies readonly RouteErrorCode[];

/** Further errors of a route that takes a body. */
export const BODY_ERRORS = ['UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'] as const satisfies readonly RouteErrorCode[];

/** Further errors of a route that reads a session. */
export const READING_ERRORS = [
  'SESSION_HISTORY_NOT_AVAILABLE',
  'SESSION_ID_INVALID',
  'SESSION_AMBIGUOUS',
  'JOURNAL_DAMAGED',
  'JOURNAL_EMPTY',
  'JOURNAL_NOT_A_FILE',
  'JOURNAL_NEWER_FORMAT',
  'JOURNAL_UNREADABLE',
  'SESSION_ENCRYPTED',
  'KEY_WRONG',
  'KEY_UNUSABLE',
  'CONFIG_INVALID',
  'SEQ_NOT_FOUND',
] as const satisfies readonly RouteErrorCode[];

/** Further codes of a route that writes a session. */
export const WRITING_ERRORS = [
  'SESSION_NOT_FOUND',
  'POLICY_DENIED',
  'SESSION_LOCKED',
  'NOT_OWNER',
  'JOURNAL_LOCKED',
  'JOURNAL_EDITED',
  'JOURNAL_FULL',
  'JOURNAL_POISONED',
  'JOURNAL_READ_ONLY',
  'EVENT_INVALID',
  'WORKSPACE_NOT_ALLOWED',
  'PROVIDER_UNKNOWN',
  'PROVIDER_UNREACHABLE',
  'PROVIDER_FAILED',
  'PROVIDER_BROKEN_STREAM',
  'PROVIDER_TIMEOUT',
  'PROVIDER_KEY',
  'MODEL_NOT_FOUND',
  'THINKING_MODE_NOT_SUPPORTED',
] as const satisfies readonly RouteErrorCode[];
