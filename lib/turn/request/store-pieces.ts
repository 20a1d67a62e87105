// Stores an answer while it streams: each new piece as message.streamed, at most two seconds after it arrived. An
// answer that ends sooner stores only its message, and no timer runs while nothing arrives. A piece that cannot be
// stored does not fail the turn: the message still follows, and reports its own failure.
import { StreamRedaction } from '../../environment/redact-stream.ts';
import type { NewOllmEvent } from '../../events/index.ts';
import type { Part } from '../../messages/index.ts';
import type { Turn } from '../turn.ts';
import type { Reply } from './reply.ts';

const DEFAULT_INTERVAL_MS = 2_000;
/** UTF-16 units of text in one event: a line of the journal has a limit. */
const MAX_EVENT_LENGTH = 1024 * 1024;

interface PieceStore {
  /** The reply has grown. */
  grew(reply: Reply): void;
  /** Nothing more arrives. */
  end(): void;
}

/** For the answer to one request, made once for each attempt. */
export function createPieceStore(turn: Turn): PieceStore {
  const { session, dependencies, number } = turn;
  const { pieceIntervalMs = DEFAULT_INTERVAL_MS, provider, model, log } = dependencies;
  const unstored = new UnstoredParts(turn);
  let timer: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let isOver = false;
  let seenLength = 0;
  const store = (reply: Reply): void => {
    timer = undefined;
    const events = slices(unstored.take(reply)).map((parts): NewOllmEvent => {
      const begins = hasBegun ? undefined : (true as const);
      hasBegun = true;
      const data = { parts, begins, model, provider: provider.name };
      return { type: 'message.streamed', turn: number, ignorable: true, data };
    });
    if (events.length > 0) session.append(events).catch(giveUp);
  };
  const giveUp = (error: unknown): void => {
    isOver = true;
    clearTimeout(timer);
    const fields = { service: 'turn', operation: 'stream', sessionId: session.id, error };
    log.warn({ ...fields, action: 'The answer is stored when it ends.' }, 'An answer is not stored while it streams');
  };
  return {
    grew(reply) {
      if (isOver || timer !== undefined || reply.length === seenLength) return;
      seenLength = reply.length;
      timer = setTimeout(store, pieceIntervalMs, reply);
    },
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** The parts of a reply as far as they were not taken before, without their secrets. */
class UnstoredParts {
  readonly #turn: Turn;
  /** The piece of the reply that is taken from, and its chunks that were. */
  #piece = 0;
  #chunk = 0;
  #redaction: StreamRedaction;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#redaction = new StreamRedaction(turn.dependencies.redactor);
  }

  take({ pieces }: Reply): Part[] {
    const { redactor, provider } = this.#turn.dependencies;
    const parts: Part[] = [];
    for (; this.#piece < pieces.length; this.#piece += 1) {
      const piece = pieces[this.#piece]!;
      const isLast = this.#piece === pieces.length - 1;
      this.#redaction.add(piece.chunks.slice(this.#chunk).join(''));
      const text = isLast ? this.#redaction.take() : this.#redaction.end();
      if (piece.type === 'text' && text !== '') parts.push({ type: 'text', text });
      if (piece.type === 'reasoning' && (text !== '' || (piece.opaque !== undefined && this.#chunk === 0))) {
        const opaque = piece.opaque === undefined ? {} : { opaque: piece.opaque };
        parts.push({ type: 'reasoning', ...(text === '' ? {} : { text }), ...opaque, provider: provider.name });
      }
      this.#chunk = isLast ? piece.chunks.length : 0;
      if (isLast && !('opaque' in piece)) break;
      this.#chunk = 0;
      this.#redaction = new StreamRedaction(redactor);
    }
    return parts;
  }
}

/** The parts, in lists that each fit a line of the journal. */
function slices(parts: readonly Part[]): Part[][] {
  const lists: Part[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const part of parts.flatMap(shortParts)) {
    const more = 'text' in part ? (part.text?.length ?? 0) : 0;
    if (length + more > MAX_EVENT_LENGTH) {
      lists.push([]);
      length = 0;
    }
    lists.at(-1)!.push(part);
    length += more;
  }
  return lists;
}

function shortParts(part: Part): Part[] {
  if (!('text' in part) || part.text === undefined || part.text.length <= MAX_EVENT_LENGTH) return [part];
  const count = Math.ceil(part.text.length / MAX_EVENT_LENGTH);
  const { text } = part;
  return Array.from({ length: count }, (_, index) => ({
    ...part,
    text: text.slice(index * MAX_EVENT_LENGTH, (index + 1) * MAX_EVENT_LENGTH),
  }));
}
