// Joins the small pieces of a running turn: pieces within a moment become one signal. Any other signal is sent after
// the pieces before it, so that the order stays.
import type { LeadSignal } from '../../lead/types.ts';
import type { TurnSignal } from '../../turn/signals.ts';

const JOINED_MS = 15;

type DeltaPiece = Extract<TurnSignal, { readonly type: 'delta' | 'reasoning' | 'tool_output' }>;

type TurnSignalOf = Extract<LeadSignal, { readonly type: 'turn' }>;

export interface JoinedSignals {
  take(signal: TurnSignalOf): void;
  /** Sends the waiting pieces. */
  flush(): void;
}

/** `send`: with the last event that was stored when the signal came. */
export function joinedSignals(send: (promptId: string, signal: TurnSignal, after: number) => void): JoinedSignals {
  let waiting: { readonly promptId: string; readonly piece: DeltaPiece; readonly after: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const first = waiting;
    waiting = undefined;
    if (first !== undefined) send(first.promptId, first.piece, first.after);
  };
  return {
    flush,
    take({ promptId, signal, after }) {
      if (!isPiece(signal)) {
        flush();
        send(promptId, signal, after);
        return;
      }
      const joined = waiting?.promptId === promptId ? joinedWith(waiting.piece, signal) : undefined;
      if (joined === undefined) flush();
      waiting = { promptId, piece: joined ?? signal, after: waiting?.after ?? after };
      timer ??= setTimeout(flush, JOINED_MS);
    },
  };
}

function isPiece(signal: TurnSignal): signal is DeltaPiece {
  return signal.type === 'delta' || signal.type === 'reasoning' || signal.type === 'tool_output';
}

/** Undefined where they are not pieces of the same. */
function joinedWith(first: DeltaPiece, second: DeltaPiece): DeltaPiece | undefined {
  if (first.type === 'tool_output') {
    const isSame = second.type === 'tool_output' && first.callId === second.callId;
    return isSame ? { ...first, text: first.text + second.text } : undefined;
  }
  if (first.type !== second.type) return undefined;
  return { ...first, content: first.content + second.content };
}
