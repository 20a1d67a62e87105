// What became of a connection, read off the error that fetch threw: it wraps the error of the system once or twice.

/** The longest wait of fetch itself, whatever the settings allow. */
export const SYSTEM_TIMEOUT_SECONDS = 300;

/** `lost` may pass by itself; the others rarely do. */
type ConnectionFailure =
  | { readonly kind: 'unreachable'; readonly reason: string; readonly mayPass: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'no-http' }
  | { readonly kind: 'other'; readonly message: string };

const UNREACHABLE: Readonly<Record<string, readonly [reason: string, mayPass: boolean]>> = {
  ECONNREFUSED: ['the connection was refused', false],
  ENOTFOUND: ['no such host', false],
  EAI_AGAIN: ['no such host', true],
  EHOSTUNREACH: ['no way there', true],
  ENETUNREACH: ['no way there', true],
  ETIMEDOUT: ['no way there', true],
  UND_ERR_CONNECT_TIMEOUT: ['no way there', true],
};

export function connectionFailure(error: unknown): ConnectionFailure {
  const { code, message } = rootOf(error);
  if (code === undefined) return { kind: 'other', message };
  const known = UNREACHABLE[code];
  if (known) return { kind: 'unreachable', reason: known[0], mayPass: known[1] };
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return { kind: 'silent' };
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return { kind: 'lost' };
  if (code.startsWith('HPE_')) return { kind: 'no-http' };
  return { kind: 'unreachable', reason: code, mayPass: false };
}

function rootOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  let code: string | undefined;
  let message = String(error);
  let at = error as { code?: unknown; message?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; at && depth < 8; depth++) {
    if (typeof at.code === 'string') code = at.code;
    if (typeof at.message === 'string') message = at.message;
    at = at.cause as typeof at;
  }
  return { code, message };
}
