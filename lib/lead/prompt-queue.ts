// The queue of a led conversation is the fold over its journal. Changes are appended one after the other, each judged
// by the queue that the one before left. A refused prompt is never asked, also where the refusal could not be stored.
import type { App } from '../app/app.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import { Lanes } from '../platform/lanes.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import type { Session } from '../session/session.ts';
import { createScrubber } from '../turn/redact-event.ts';
import type { Problem } from './types.ts';

interface PromptQueueOptions {
  readonly app: Pick<App, 'redactor' | 'log'>;
  readonly onChange: () => void;
}

export class PromptQueue {
  readonly #options: PromptQueueOptions;
  /** The session that is open for writing. */
  #session: Session | undefined;
  /** What waited when it was last open. */
  #last: readonly WaitingPrompt[] = [];
  /** Refused prompts that the journal may still show as waiting. */
  readonly #refused = new Map<string, Problem | undefined>();
  readonly #changes = new Lanes(1);

  constructor(options: PromptQueueOptions) {
    this.#options = options;
  }

  /** The next one first, with the one whose turn has begun and is not stored yet. */
  get prompts(): readonly WaitingPrompt[] {
    const prompts = this.#session?.states.queue.prompts ?? this.#last;
    return this.#refused.size === 0 ? prompts : prompts.filter(({ promptId }) => !this.#refused.has(promptId));
  }

  /** Whether nothing has to be remembered that the journal does not say. */
  get isWritten(): boolean {
    return this.#refused.size === 0;
  }

  has(promptId: string): boolean {
    return this.prompts.some((prompt) => prompt.promptId === promptId);
  }

  /** The session was opened: prompts that were refused meanwhile are taken out. Never rejects. */
  async follow(session: Session): Promise<void> {
    this.#session = session;
    await this.#takeOutRefused(session);
  }

  /** The session is closed, or is about to be. */
  rest(session: Session): void {
    this.#last = session.states.queue.prompts;
    this.#session = undefined;
  }

  /**
   * Stores a change, after those before it: `changeOf` is asked then. Resolves with the seq of its event.
   * @throws what `changeOf` and appending throw
   */
  async change(session: Session, changeOf: () => EventData<'queue.changed'>): Promise<number | undefined> {
    const store = async (): Promise<number | undefined> => {
      const data = changeOf();
      // The store redacts each append. The secret is reported here, because the turn finds none any more.
      const scrub = createScrubber({ redact: await this.#options.app.redactor() });
      for (const { text } of data.added ?? []) await scrub.long(text);
      const events: NewOllmEvent[] = [{ type: 'queue.changed', data }, ...scrub.findings('user message')];
      return (await session.append(events, { durability: 'disk' }))[0]?.seq;
    };
    try {
      return await this.#changes.run(store);
    } finally {
      this.#options.onChange();
    }
  }

  /** Resolves when no change is under way. */
  stored(): Promise<void> {
    return this.#changes.idle();
  }

  /** It has no turn. Taken out of the journal now, if that is open, or else when it is opened. Never rejects. */
  async refuse(promptId: string, problem?: Problem): Promise<void> {
    this.#refused.set(promptId, problem);
    this.#options.onChange();
    const session = this.#session;
    if (session !== undefined && session.writer.failure === undefined) await this.#takeOutRefused(session);
  }

  async #takeOutRefused(session: Session): Promise<void> {
    const waiting = new Set(session.states.queue.prompts.map(({ promptId }) => promptId));
    const found = [...this.#refused].filter(([promptId]) => waiting.has(promptId));
    const errors = found.flatMap(([promptId, problem]) => (problem === undefined ? [] : [{ promptId, ...problem }]));
    const removed = found.map(([promptId]) => promptId);
    try {
      if (found.length > 0) {
        await this.change(session, () => ({ removed, ...(errors.length > 0 && { errors }) }));
      }
      this.#refused.clear();
    } catch (error) {
      const fields = { service: 'lead', operation: 'queue', sessionId: session.id, error };
      const action = 'Its next opening takes it out.';
      this.#options.app.log.warn({ ...fields, action }, 'A prompt that has no turn could not be taken out');
    }
  }
}
