// The meaning of the client's errors, and their wording for users. The client's classes are not imported, so an error
// is recognised by its name and by the code of the server.
import { isOllmError, OllmError } from '../errors/index.ts';

/** Codes of JetStream's API. */
const CODE = {
  wrongLastSequence: [10071, 10164],
  full: [10023, 10028, 10047],
  notStored: [10077],
  streamMissing: [10059],
} as const;
const AWAY =
  /^(?:JetStreamNotEnabled|TimeoutError|NoRespondersError|ClosedConnectionError|ConnectionError|DrainingConnectionError|RequestError)$/;

const NOT_PERMITTED = ['PermissionViolationError', 'AuthorizationError'];

function codeOf(error: unknown): number {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : 0;
}

/** Whether the server refused because the last message of the subject, or of the key, is not the expected one. */
export function isWrongLastSequence(error: unknown): boolean {
  return (CODE.wrongLastSequence as readonly number[]).includes(codeOf(error));
}

/** Whether the server refused for lack of room. */
export function isFull(error: unknown): boolean {
  if ((CODE.full as readonly number[]).includes(codeOf(error))) return true;
  return (CODE.notStored as readonly number[]).includes(codeOf(error)) && /maximum/.test((error as Error).message);
}

/** Whether the server refused. Any other error leaves the outcome unknown. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) >= 10_000;
}

export function isStreamMissing(error: unknown): boolean {
  return (CODE.streamMissing as readonly number[]).includes(codeOf(error)) || nameOf(error) === 'StreamNotFoundError';
}

function nameOf(error: unknown): string {
  return error instanceof Error || typeof error === 'object' ? String((error as Error | null)?.name ?? '') : '';
}

/** Runs a request; an error of the client becomes an OllmError whose message begins with `what`. */
export async function asked<Result>(what: string, request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    throw storeError(what, error);
  }
}

export function storeError(what: string, error: unknown): unknown {
  if (isOllmError(error) || !(error instanceof Error || typeof error === 'object')) return error;
  const { message } = error as Error;
  if (isStreamMissing(error)) {
    return new OllmError('STORE_NOT_READY', `${what}: the stream of this store is not there.`, {
      hint: 'Make it with "ollm store prepare", or name the tenant that has one.',
      cause: error,
    });
  }
  if (isFull(error)) {
    return new OllmError('JOURNAL_FULL', `${what}: the server has no room for more (${message}).`, {
      hint: 'Raise max_file_store or max_bytes on the server, or free some space there, and try again.',
      cause: error,
    });
  }
  // A request that is not permitted fails like any other request, with the reason as its cause.
  if ([error, (error as Error).cause].some((each) => NOT_PERMITTED.includes(nameOf(each)))) {
    return new OllmError('STORE_REFUSED', `${what}: the server does not permit it (${message}).`, {
      hint: 'Check nats.credentialsFile, and what its user may do on the server: docs/many-machines.md has the list.',
      cause: error,
    });
  }
  if (AWAY.test(nameOf(error)) || isRefusal(error)) {
    return new OllmError('STORE_UNREACHABLE', `${what}: the server does not answer (${message}).`, {
      hint: 'Check that nats-server runs with JetStream at the address of "store", and that a majority of its cluster is up.',
      cause: error,
    });
  }
  return error;
}
