// A signal of a turn as plain JSON. An error keeps what a person and a program need of it, and not its cause.
import type { JsonObject } from '../../journal/types.ts';
import type { TurnSignal } from '../../turn/signals.ts';

export function signalJson(signal: TurnSignal): JsonObject {
  if (signal.type !== 'error') return signal as unknown as JsonObject;
  const { code, message, hint, data } = signal.error;
  return { type: 'error', error: { code, message, hint, data } };
}
