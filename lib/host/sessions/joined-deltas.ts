// Joins the small pieces of a running turn: what comes within a moment is one signal. Anything else is sent behind the
// pieces before it, so that the order stays.
import type { TurnSignal } from '../../turn/signals.ts';

const JOINED_MS = 15;

type Piece = Extract<TurnSignal, { readonly type: 'delta' | 'reasoning' | 'tool_output' }>;

interface JoinedSignals {
  take(signal: TurnSignal): void;
  /** Sends what waits. */
  flush(): void;
}

interface JoinedOptions {
  /** Seq of the last stored event. */
  stored(): number;
  /** `behind`: the last event that was stored when the signal came. */
  send(signal: TurnSignal, behind: number): void;
}

export function joinedSignals({ stored, send }: JoinedOptions): JoinedSignals {
  let waiting: Piece | undefined;
  let behind = -1;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const piece = waiting;
    waiting = undefined;
    if (piece !== undefined) send(piece, behind);
  };
  return {
    flush,
    take(signal) {
      if (!isPiece(signal)) {
        flush();
        send(signal, stored());
        return;
      }
      const joined = waiting && joinedWith(waiting, signal);
      if (joined === undefined) {
        flush();
        behind = stored();
      }
      waiting = joined ?? signal;
      timer ??= setTimeout(flush, JOINED_MS);
    },
  };
}

function isPiece(signal: TurnSignal): signal is Piece {
  return signal.type === 'delta' || signal.type === 'reasoning' || signal.type === 'tool_output';
}

/** Undefined where they are not pieces of the same. */
function joinedWith(first: Piece, second: Piece): Piece | undefined {
  if (first.type === 'tool_output') {
    const isSame = second.type === 'tool_output' && first.callId === second.callId;
    return isSame ? { ...first, text: first.text + second.text } : undefined;
  }
  if (first.type !== second.type) return undefined;
  return { ...first, content: first.content + second.content };
}
