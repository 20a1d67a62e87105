// Exchanges with one vendor: each has a connection of its own, which is closed at its end, and each failure becomes an
// `OllmError` with a message for people.
import { createEventStreamCheck } from '../http/event-stream-check.ts';
import { createGuard } from '../http/guarded-fetch.ts';
import { missingKey, readKey } from '../key.ts';
import { Failures, interrupted } from './failures.ts';
import type { Connection, PlainRequest, Vendor } from './vendor.ts';

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;

/** What one exchange is about. */
export interface ExchangeOptions {
  readonly url: string;
  /** The media type that its answers must have. */
  readonly mediaType: RegExp;
  readonly model?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Exchanges {
  readonly #vendor: Vendor;
  readonly #timeoutSeconds: number;

  constructor(vendor: Vendor, timeoutSeconds: number) {
    this.#vendor = vendor;
    this.#timeoutSeconds = timeoutSeconds;
  }

  /** The key as it is now; empty where the vendor needs none. @throws OllmError PROVIDER_KEY */
  key(): string {
    const { name, key: places, keySite, keyIsNeeded } = this.#vendor;
    const issuer = { provider: name, site: keySite };
    const key = places ? readKey(places, issuer) : undefined;
    if (key === undefined && places && keyIsNeeded) throw missingKey(places, issuer);
    return key ?? '';
  }

  failures(model: string | undefined, key = ''): Failures {
    const secrets = [key, ...(this.#vendor.secrets?.() ?? [])];
    const hasKey = secrets.some((secret) => secret !== '');
    return new Failures({ vendor: this.#vendor, model, timeoutSeconds: this.#timeoutSeconds, hasKey, secrets });
  }

  /** Runs one exchange: what `talk` yields. */
  async *run<Item>(
    { url, signal: outer, model, mediaType }: ExchangeOptions,
    talk: (connection: Connection, failures: Failures) => AsyncIterable<Item>,
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
      checkFor: (type) => (type === 'text/event-stream' ? createEventStreamCheck(failures) : undefined),
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

  /** The JSON that a plain request is answered with. */
  async ask(request: PlainRequest, options: Pick<ExchangeOptions, 'model' | 'signal'>): Promise<unknown> {
    const { url, body } = request;
    const vendor = this.#vendor;
    const answer = this.run({ ...options, url, mediaType: JSON_TYPE }, async function* (connection, failures) {
      const proof = await vendor.authorize(request, connection.key);
      const response = await connection.fetch(url, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...request.headers, ...proof },
      });
      const text = await response.text();
      try {
        yield JSON.parse(text) as unknown;
      } catch {
        throw failures.nonsense('its answer is not JSON');
      }
    });
    for await (const value of answer) return value;
    return undefined;
  }
}
