// The runs that a journal says have begun and not that they have ended: the ollm that led them was killed. The next one
// that opens the journal ends them: by then no other process leads them, as it would hold the journal.
import type { JsonObject, NewEvent, StoredEvent } from '../../journal/types.ts';

/** A choice of the user for an agent, in its words. */
export interface RunChoice {
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
}

export class OpenRuns {
  readonly #open = new Map<string, { mark: string; status: string; promptId?: unknown }>();
  #chosen: RunChoice = {};
  /** When the last of them ended. */
  endedMs: number | undefined;

  take({ type, data, ts }: StoredEvent): void {
    if (type === 'run.changed') this.#chosen = { ...this.#chosen, ...choiceIn(data) };
    const run = String(data.run);
    if (type === 'run.started') {
      this.#open.set(run, { mark: String(data.mark).slice(String(data.mark).indexOf('=') + 1), status: 'starting' });
    } else if (type === 'run.ended') {
      this.#open.delete(run);
      this.endedMs = Date.parse(ts);
    } else if (type === 'run.status') {
      const known = this.#open.get(run);
      if (known !== undefined) this.#open.set(run, { ...known, status: String(data.to), promptId: data.promptId });
    }
  }

  /** The model and the thinking that were chosen last. */
  get chosen(): RunChoice {
    return this.#chosen;
  }

  /** The marks of their processes. */
  get marks(): readonly string[] {
    return [...this.#open.values()].map(({ mark }) => mark);
  }

  /** The events that close them. A prompt that was under way has failed, and is not sent again. */
  get events(): readonly NewEvent[] {
    return [...this.#open].flatMap(([run, { status, promptId }]): NewEvent[] => {
      const ended: NewEvent = { type: 'run.ended', data: { run, reason: 'interrupted' }, ignorable: true };
      if (!['starting', 'running', 'waiting'].includes(status)) return [ended];
      const about = typeof promptId === 'string' ? { promptId } : {};
      const data: JsonObject = { run, from: status, to: 'failed', ...about, reason: 'interrupted' };
      return [{ type: 'run.status', data, ignorable: true }, ended];
    });
  }
}

function choiceIn({ model, thinking }: JsonObject): RunChoice {
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof thinking === 'string' && { thinking }),
  };
}
