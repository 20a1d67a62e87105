// The stored events of a running turn as spans for the collector.
import { decodeEvent } from '../../events/decode.ts';
import { otlpLine } from '../../exporters/otel/otlp.ts';
import type { OperationSpan } from '../../exporters/otel/span.ts';
import { turnSpans } from '../../exporters/otel/turn-spans.ts';
import type { StoredEvent } from '../../journal/types.ts';
import type { App } from '../app.ts';
import { collectorOf } from './collector.ts';

/** UTF-16 units: a longer text is cut. */
const MAX_CONTENT = 32 * 1024;

interface TurnWatch {
  readonly take: (events: readonly StoredEvent[]) => void;
  /** The turn is over, or was cancelled before its end was stored. */
  readonly end: () => void;
}

interface WatchedSession {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
}

/** Spans are handed to the collector as they end; a turn whose end is stored has none left. */
export function watchTurn(app: App, session: WatchedSession): TurnWatch {
  const spans = turnSpans({ contents: app.config.otel.contents, maxContent: MAX_CONTENT, session });
  const send = (some: readonly OperationSpan[]) => {
    if (some.length > 0) collectorOf(app).send(otlpLine(session.id, some));
  };
  return {
    take(events) {
      for (const event of events) {
        const decoded = decodeEvent(event);
        if (decoded.kind === 'known') send(spans.take(decoded.event));
      }
    },
    end: () => send(spans.end()),
  };
}
