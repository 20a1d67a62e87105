// The server, by the client that every program has. What gets no answer is reported to the connection.
import { ApiError, createClient, pathOf as linkTo } from '../../client/client.ts';
import { reportRequestLost } from './connection.ts';

export { ApiError, linkTo };

/** Each method throws an ApiError: the server's, or OFFLINE where no answer came. */
export const server = createClient({
  async fetch(address, init) {
    try {
      return await fetch(address, init);
    } catch (cause) {
      if (init?.signal?.aborted) throw cause;
      reportRequestLost();
      throw failed('OFFLINE', 'ollm does not answer.');
    }
  },
});

/** A failure of the page itself. */
export function failed(code: string, message: string): ApiError {
  return new ApiError(0, { code, message });
}

/** The message of an error, with the next step where the server names one. */
export function wordsOfError(error: unknown): string {
  if (error instanceof ApiError) return [error.message, error.hint].filter(Boolean).join(' ');
  return error instanceof Error ? error.message : String(error);
}

/** An error of any kind as a failure that can be shown. */
export function failureOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : failed('FAILED', String(error));
}
