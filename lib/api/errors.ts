// What a route answers where it does not do what it was asked: the code, the status, and what it means.

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
  NOT_FOUND: { status: 404, meaning: 'The route is unknown.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route has other methods; `Allow` names them.' },
  INVALID_PARAMETER: { status: 400, meaning: 'A parameter in the path is not of its form.' },
  INVALID_QUERY: { status: 400, meaning: 'The query has an unknown or wrong parameter.' },
  INVALID_REQUEST_BODY: { status: 400, meaning: 'The body is not JSON, or not what the schema of the route says.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not of the media type that the route takes.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than the route takes.' },
  UNSUPPORTED_PROVIDER: { status: 400, meaning: 'The provider is unknown.' },
  SESSION_NOT_FOUND: { status: 404, meaning: 'No session has this id.' },
  SESSION_HISTORY_NOT_AVAILABLE: { status: 404, meaning: 'The session is known, and its file is gone.' },
  NOT_OURS: { status: 409, meaning: 'The session belongs to another program, and ollm changes nothing there.' },
  SUMMARY_REQUIRED: { status: 400, meaning: 'A session cannot be called nothing.' },
  SUMMARY_TOO_LONG: { status: 400, meaning: 'The name of a session is longer than it may be.' },
  MODEL_REQUIRED: { status: 400, meaning: 'No model was named.' },
  THINKING_MODE_REQUIRED: { status: 400, meaning: 'No mode of thinking was named.' },
  INVALID_IMAGE_PATHS: { status: 400, meaning: 'A file that is to go along cannot be read, or may not.' },
  INVALID_RUNTIME_PERMISSION_MODE: { status: 400, meaning: 'The mode is none of `ask`, `deny` and `allow`.' },
  PROMPT_REQUIRED: { status: 400, meaning: 'A turn needs a prompt.' },
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

/** What every route may answer. */
export const COMMON_ERRORS = [
  'UNAUTHORIZED',
  'HOST_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'INTERNAL',
] as const satisfies readonly ApiErrorCode[];
