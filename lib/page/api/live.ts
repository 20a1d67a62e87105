// The events and signals of a session, from where this page left off. A lost stream continues after the last
// event, so that nothing is missed or doubled.
import { linkTo } from './server.ts';
import { openStream } from './stream.ts';
import type { SentEvent } from './types.ts';

interface LiveListener {
  /** The stream is open. The present state of the session follows: forget the earlier one. */
  onHello(): void;
  onEvent(event: SentEvent): void;
  onSignal(signal: LiveSignal): void;
  onPartial(partial: LivePartial): void;
  /** The page's copy of the session is outdated. */
  onReset(): void;
  /** The session was removed or locked. It is followed again once it is back. */
  onGone(): void;
}

export interface LiveSignal {
  readonly type: string;
  readonly sessionId?: string;
  readonly [member: string]: unknown;
}

export interface LivePartial {
  readonly text?: string;
  readonly reasoning?: string;
}

/** Follows a session from the event after `after`. Ends with `close`. */
export function follow(address: string, after: number, listener: LiveListener): { close(): void } {
  let last = after;
  let isGone = false;
  return openStream({
    address: () => linkTo('followSession', { parameters: { id: address }, query: { from: last + 1 } }),
    isMissed: () => !isGone,
    hear(source, lost) {
      source.addEventListener('open', () => {
        isGone = false;
      });
      source.onmessage = (message) => {
        const event = JSON.parse(message.data) as SentEvent;
        last = Math.max(last, event.seq);
        listener.onEvent(event);
      };
      source.addEventListener('hello', () => listener.onHello());
      source.addEventListener('signal', (message) => listener.onSignal(JSON.parse(message.data) as LiveSignal));
      source.addEventListener('partial', (message) => listener.onPartial(JSON.parse(message.data) as LivePartial));
      // The server asks to subscribe again from here: this page read too slowly, or the server ends.
      source.addEventListener('end', (message) => {
        isGone = (JSON.parse(message.data) as { reason?: string }).reason === 'gone';
        lost();
        if (isGone) listener.onGone();
      });
      source.addEventListener('reset', () => {
        last = -1;
        listener.onReset();
      });
    },
  });
}
