// One turn: the user's text is stored, the view goes to the model, what it answers streams by and is stored whole.
// A turn that was started is always ended, whatever happens to the provider, the disk or the listener.
import type { Observable } from 'rxjs';
import type { JournalStore } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Provider } from '../providers/provider.ts';
import type { Session } from '../session/session.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import type { TurnSignal } from './signals.ts';

export interface TurnInput {
  /** What the user said. */
  readonly text: string;
  /** The message itself, where it is more than that text; `text` is then what a reader is shown of it. */
  readonly parts?: readonly Part[] | undefined;
}

export interface TurnDependencies {
  readonly provider: Provider;
  readonly model: string;
  /** Tokens that the model takes in, where known. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly counter: TokenCounter;
  readonly store: Pick<JournalStore, 'putBlob' | 'readBlob'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of a text before it is stored. Absent: nothing is taken out. */
  readonly redact?: ((text: string) => { text: string; found: readonly { kind: string; count: number }[] }) | undefined;
  /** Model requests that one turn may make. */
  readonly maxSteps?: number | undefined;
  /** How long the provider may send nothing. */
  readonly silenceTimeoutMs?: number | undefined;
}

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The signals of one turn. See lib/app/ask.ts for what holds. */
export function runTurn(
  _session: Session,
  _input: TurnInput,
  _deps: TurnDependencies,
  _options: TurnOptions = {},
): Observable<TurnSignal> {
  throw new TypeError('not there yet');
}
