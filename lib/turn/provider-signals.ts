// A provider's answer as an observable. Unsubscribing aborts the request and waits for nothing, so that a turn can be
// cancelled at once even when the provider does not listen.
import { Observable, type Subscriber } from 'rxjs';
import type { ProviderSignal } from '../providers/provider.ts';

export function providerSignals(
  open: (signal: AbortSignal) => AsyncIterable<ProviderSignal>,
): Observable<ProviderSignal> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    void pump(open, abort.signal, subscriber);
    return () => abort.abort();
  });
}

async function pump(
  open: (signal: AbortSignal) => AsyncIterable<ProviderSignal>,
  signal: AbortSignal,
  subscriber: Subscriber<ProviderSignal>,
): Promise<void> {
  try {
    for await (const item of open(signal)) {
      if (subscriber.closed) return;
      subscriber.next(item);
    }
    subscriber.complete();
  } catch (error) {
    subscriber.error(error);
  }
}
