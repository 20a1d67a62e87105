// An abort signal as an observable: emits once, immediately where the signal is already aborted.
import { Observable } from 'rxjs';

export function aborted$(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const stop = (): void => subscriber.next();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    return () => signal.removeEventListener('abort', stop);
  });
}
