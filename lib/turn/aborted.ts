// An abort signal as an observable: emits once, immediately if the signal has already aborted.
import { Observable } from 'rxjs';
import { onAbort } from '../platform/waiting.ts';

export function aborted$(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => onAbort(signal, () => subscriber.next()));
}
