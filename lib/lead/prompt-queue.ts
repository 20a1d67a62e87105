// The queue of a led conversation is the fold over its journal. Changes are appended one after the other, each judged
// by the queue that the one before left. A refused prompt is never asked, also where the refusal could not be stored.
import type { App } from '../app/app.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { AppendOptions, Receipt } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import type { QueueState, WaitingPrompt } from '../projections/queue.ts';
import { createScrubber } from '../turn/redact-event.ts';
import type { Problem } from './types.ts';

/** The open journal of a queue, such as a session. Its state follows each event that it stores. */
export interface QueueJournal {
  readonly id: string;
  readonly states: { readonly queue: QueueState };
  readonly writer: { readonly failure?: unknown };
  append(events: readonly NewOllmEvent[], options: AppendOptions): Promise<readonly Receipt[]>;
}

interface PromptQueueOptions {
  readonly app: Pick<App, 'redactor' | 'log'>;
  readonly onChange: () => void;
}

export class PromptQueue {
  readonly #options: PromptQueueOptions;
  /** The journal, while it is open for writing. */
  #journal: QueueJournal | undefined;
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
    const prompts = this.#journal?.states.queue.prompts ?? this.#last;
    return this.#refused.size === 0 ? prompts : prompts.filter(({ promptId }) => !this.#refused.has(promptId));
  }

  /** Whether nothing has to be remembered that the journal does not say. */
  get isWritten(): boolean {
    return this.#refused.size === 0;
  }

  has(promptId: string): boolean {
    return this.prompts.some((prompt) => prompt.promptId === promptId);
  }

  /** The journal was opened: prompts that were refused meanwhile are taken out. Never rejects. */
  async follow(journal: QueueJournal): Promise<void> {
    this.#journal = journal;
    await this.#takeOutRefused(journal);
  }

  /** The journal is closed, or is about to be. */
  rest(journal: QueueJournal): void {
    this.#last = journal.states.queue.prompts;
    this.#journal = undefined;
  }

  /**
   * Stores a change, after those before it: `changeOf` is asked then. Resolves with the seq of its event.
   * @throws what `changeOf` and appending throw
   */
  async change(journal: QueueJournal, changeOf: () => EventData<'queue.changed'>): Promise<number | undefined> {
    const store = async (): Promise<number | undefined> => {
      const data = changeOf();
      // The store redacts each append. The secret is reported here, because the turn finds none any more.
      const scrub = createScrubber({ redact: await this.#options.app.redactor() });
      for (const { text } of data.added ?? []) await scrub.long(text);
      const events: NewOllmEvent[] = [{ type: 'queue.changed', data }, ...scrub.findings('user message')];
      return (await journal.append(events, { durability: 'disk' }))[0]?.seq;
    };
    try {
      return await this.#changes.run(store);
    } finally {
      this.#options.onChange();
    }
  }

  /**
   * Looks at the queue between two changes: one that is under way is stored before, and the next one is judged by what
   * `look` has set. A turn that begins there has a prompt that no change takes out.
   */
  between<Seen>(look: () => Seen): Promise<Seen> {
    return this.#changes.run(async () => look());
  }

  /** Resolves when no change is under way. */
  stored(): Promise<void> {
    return this.#changes.idle();
  }

  /** It has no turn. Taken out of the journal now, if that is open, or else when it is opened. Never rejects. */
  async refuse(promptId: string, problem?: Problem): Promise<void> {
    this.#refused.set(promptId, problem);
    this.#options.onChange();
    const journal = this.#journal;
    if (journal !== undefined && journal.writer.failure === undefined) await this.#takeOutRefused(journal);
  }

  async #takeOutRefused(journal: QueueJournal): Promise<void> {
    const waiting = new Set(journal.states.queue.prompts.map(({ promptId }) => promptId));
    const found = [...this.#refused].filter(([promptId]) => waiting.has(promptId));
    const errors = found.flatMap(([promptId, problem]) => (problem === undefined ? [] : [{ promptId, ...problem }]));
    const removed = found.map(([promptId]) => promptId);
    try {
      if (found.length > 0) {
        await this.change(journal, () => ({ removed, ...(errors.length > 0 && { errors }) }));
      }
      this.#refused.clear();
    } catch (error) {
      const fields = { service: 'lead', operation: 'queue', sessionId: journal.id, error };
      const action = 'Its next opening takes it out.';
      this.#options.app.log.warn({ ...fields, action }, 'A prompt that has no turn could not be taken out');
    }
  }
}
