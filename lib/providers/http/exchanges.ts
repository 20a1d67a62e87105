// Exchanges with one server: each has a connection of its own, which is closed at its end, and each failure becomes an
// `OllmError` with a message for people.
import { missingKey, readKey } from '../key.ts';
import type { BodyCheck } from './body-check.ts';
import { Failures, interrupted } from './failures.ts';
import { createGuard } from './guarded-fetch.ts';
import type { ProviderServer } from './server.ts';

/** A connection for one exchange with a server: nothing of it is kept. */
export interface HttpConnection {
  /** The key; empty where the server needs none and there is none. */
  readonly key: string;
  /** Talks to the server's address and to no other. */
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** What one exchange is about. */
interface ExchangeOptions {
  /** Default: that of the server. */
  readonly url?: string | undefined;
  /** The media type that its answers must have. */
  readonly mediaType: RegExp;
  /** A fresh check for one streamed answer; none for a document. */
  readonly check?: ((failures: Failures) => BodyCheck) | undefined;
  readonly model?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Exchanges {
  readonly #server: ProviderServer;
  readonly #timeoutSeconds: number;

  constructor(server: ProviderServer, timeoutSeconds: number) {
    this.#server = server;
    this.#timeoutSeconds = timeoutSeconds;
  }

  /** The key as it is now; empty where the server needs none. @throws OllmError PROVIDER_KEY */
  key(): string {
    const { name, key: places, keySite, keyIsNeeded } = this.#server;
    const issuer = { provider: name, site: keySite };
    const key = places ? readKey(places, issuer) : undefined;
    if (key === undefined && places && keyIsNeeded) throw missingKey(places, issuer);
    return key ?? '';
  }

  failures(model: string | undefined, key = ''): Failures {
    const secrets = [key, ...(this.#server.secrets?.() ?? [])];
    const hasKey = secrets.some((secret) => secret !== '');
    return new Failures({ server: this.#server, model, timeoutSeconds: this.#timeoutSeconds, hasKey, secrets });
  }

  /** Runs one exchange: what `talk` yields. */
  async *run<Item>(
    { url = this.#server.baseUrl, signal: outer, model, mediaType, check }: ExchangeOptions,
    talk: (connection: HttpConnection, failures: Failures) => AsyncIterable<Item>,
  ): AsyncGenerator<Item, void> {
    if (outer?.aborted) throw interrupted();
    const key = this.key();
    const failures = this.failures(model, key);
    const stop = new AbortController();
    const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
    const guard = createGuard({
      url,
      signal,
      timeoutSeconds: this.#timeoutSeconds,
      words: failures,
      accepts: (type) => mediaType.test(type),
      check: check && (() => check(failures)),
    });
    try {
      yield* talk({ key, fetch: guard.fetch, signal }, failures);
    } catch (error) {
      if (outer?.aborted) throw interrupted();
      throw guard.failure ?? failures.failed(error);
    } finally {
      stop.abort();
    }
  }

  /** A question with a single answer. */
  async ask<Answer>(
    options: ExchangeOptions,
    question: (connection: HttpConnection, failures: Failures) => Promise<Answer>,
  ): Promise<Answer> {
    const answers = this.run(options, async function* (connection, failures) {
      yield await question(connection, failures);
    });
    for await (const answer of answers) return answer;
    throw interrupted();
  }
}
