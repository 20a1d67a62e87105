// A stream of events of the server, which is opened again when it is lost.
import { askAgain, onRetry, reportAnswered, reportLost } from './connection.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

interface StreamOptions {
  /** Asked for at each opening. */
  readonly address: () => string;
  /** Hears the events of a source. `lost`: opens the stream again after a pause. */
  readonly hear: (source: EventSource, lost: () => void) => void;
  /** Whether a loss means that ollm does not answer. */
  readonly isMissed?: () => boolean;
}

/** Opens a stream for as long as it is not closed. */
export function openStream({ address, hear, isMissed = () => true }: StreamOptions): { close(): void } {
  const stream = {};
  let source: EventSource | undefined;
  let pause = FIRST_PAUSE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    clearTimeout(timer);
    timer = undefined;
    source?.close();
    source = new EventSource(address());
    source.onopen = () => {
      pause = FIRST_PAUSE_MS;
      reportAnswered(stream);
      askAgain();
    };
    source.onerror = lost;
    hear(source, lost);
  };
  const lost = (): void => {
    source?.close();
    if (isMissed()) reportLost(stream);
    clearTimeout(timer);
    timer = setTimeout(open, pause);
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  };
  open();
  const endRetries = onRetry(() => timer !== undefined && open());
  return {
    close() {
      endRetries();
      clearTimeout(timer);
      source?.close();
      reportAnswered(stream);
    },
  };
}
