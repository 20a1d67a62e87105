// The fetch that the vendors' clients are given. It talks to one server only, follows no redirect, waits a limited time
// for the next byte, reads error answers itself, and checks the bytes before a client sees them. It remembers its first
// failure: clients wrap errors in their own, which say less.
import { isOllmError, type OllmError } from '../../errors/index.ts';
import type { BodyCheck } from './body-check.ts';
import { createPatience, type Patience } from './patience.ts';
import { mediaTypeOf } from './read-answer.ts';

/** The limit for an answer that is not streamed; a streamed one is limited only by line. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** The failures that the guard finds, in the words of the provider. */
interface GuardWords {
  silent(timeoutSeconds: number): OllmError;
  redirected(location: string | null): OllmError;
  /** `what`, as the end of a sentence: “its answer does not end”. */
  nonsense(what: string, cause?: unknown): OllmError;
  /** What fetch or the connection failed with. */
  broken(error: unknown): OllmError;
  /** An answer with a status of 400 or more. Its body may be read. */
  refused(response: Response): Promise<OllmError>;
}

interface GuardOptions {
  /** The address. Requests to a different origin are refused. */
  readonly url: string;
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  readonly words: GuardWords;
  /** Whether an answer of this media type is one that was asked for. */
  readonly accepts: (mediaType: string) => boolean;
  /** A fresh check for one streamed answer; none for a document. */
  readonly check?: (() => BodyCheck) | undefined;
}

interface Guard {
  readonly fetch: typeof fetch;
  /** The first failure, if there was one. */
  readonly failure: OllmError | undefined;
}

export function createGuard({ url, signal, timeoutSeconds, words, accepts, check: checkFor }: GuardOptions): Guard {
  const { origin } = new URL(url);
  const waiting = createPatience(timeoutSeconds, (seconds) => words.silent(seconds));
  const stop = AbortSignal.any([signal, waiting.signal]);
  let failure: OllmError | undefined;

  const remember = (error: unknown): unknown => {
    if (!isOllmError(error) && signal.aborted) return error;
    const understood = isOllmError(error) ? error : words.broken(error);
    failure ??= understood;
    return understood;
  };

  const exchange = async (input: string | URL | Request, init: RequestInit | undefined): Promise<Response> => {
    const target = new URL(input instanceof Request ? input.url : input);
    if (target.origin !== origin) throw words.redirected(target.origin);
    const response = await waiting.for(fetch(target, { ...init, redirect: 'manual', signal: stop }));
    if (response.status >= 300 && response.status < 400) {
      void response.body?.cancel();
      throw words.redirected(response.headers.get('location'));
    }
    const mediaType = mediaTypeOf(response);
    const check = response.ok ? checkFor?.() : undefined;
    const guarded = new Response(guardBody(response.body, check, waiting, words, remember), response);
    if (!response.ok) throw await words.refused(guarded);
    if (!accepts(mediaType)) {
      void guarded.body?.cancel();
      throw words.nonsense(`it answered with ${mediaType || 'no content type'}`);
    }
    return guarded;
  };

  return {
    fetch: async (input, init) => {
      try {
        return await exchange(input, init);
      } catch (error) {
        throw remember(error);
      }
    },
    get failure() {
      return failure;
    },
  };
}

function guardBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  check: BodyCheck | undefined,
  waiting: Patience,
  words: GuardWords,
  remember: (error: unknown) => unknown,
): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  const reader = body.getReader();
  let documentBytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      if (check?.failure) throw check.failure;
      const { done, value } = await waiting.for(reader.read());
      if (done) {
        const rest = check?.end();
        if (rest && rest.length > 0) controller.enqueue(rest);
        // A failure after these bytes follows them.
        return check?.failure ? undefined : controller.close();
      }
      documentBytes += value.length;
      if (!check && documentBytes > MAX_DOCUMENT_BYTES) throw words.nonsense('its answer does not end');
      const bytes = check ? check.push(value) : value;
      if (bytes.length > 0) return controller.enqueue(bytes);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          await pull(controller);
        } catch (error) {
          throw remember(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
