// Texts that a model gets with every request. With a session each change is an event, and the entries are there again
// after a resume; a change counts immediately, before it is stored.
import { contextBySource, contextSections, hasContext } from '../context/entries.ts';
import { isSameEntry, newEntry } from '../context/new-entry.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { checkArguments, checkCalls } from '../errors/arguments.ts';
import type { NewOllmEvent } from '../events/index.ts';
import type { ContextSource } from '../messages/index.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';
import {
  applyContext,
  type ContextEntry,
  type ContextEvent,
  type ContextState,
  noContext,
} from '../projections/context.ts';
import type { Session } from '../session/session.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import { redactedLog } from './redacted-log.ts';

export type { ContextEntry };

export interface AddContextOptions {
  /** Higher comes first; equal ones in the order they came. Default: 50. */
  readonly priority?: number;
  /** `hook`, `extension`, `user` or `system`. Default: `user`. */
  readonly source?: string;
  /** After this many milliseconds it leaves by itself. Default: it stays. */
  readonly ttlMs?: number;
}

export interface ContextManager {
  /** Replaces an entry of the same key. One that cannot be added is left out, with a warning in the log. */
  addContext(key: string, content: string, options?: AddContextOptions): void;
  removeContext(key: string): void;
  clearContext(): void;
  /** In the order in which the model gets them, without those whose time is over. */
  getContext(): ContextEntry[];
  /** Markdown, a section for each; an entry that may inform but not instruct is delimited. */
  getSystemPromptAdditions(): string;
  hasContext(key: string): boolean;
  getContextBySource(source: string): ContextEntry[];
  /** Resolves when all earlier changes are stored. @throws OllmError as an append does */
  settled(): Promise<void>;
}

export interface ContextManagerSettings {
  /** Where the entries are kept. Default: in memory. */
  readonly session?: Session | undefined;
  readonly counter?: TokenCounter | undefined;
  /** Default: known shapes of secrets are taken out. */
  readonly redactor?: Redactor | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

const SOURCES: readonly ContextSource[] = ['hook', 'extension', 'user', 'system'];

/**
 * Keeps texts by keys and adds them to the system prompt. With a session they are kept there as events.
 *
 * @example
 * const context = createContextManager({ session });
 * context.addContext('rota', 'Anna is on call.', { priority: 60, ttlMs: 3_600_000 });
 * await context.settled();
 */
export function createContextManager(settings: ContextManagerSettings = {}): ContextManager {
  checkArguments('createContextManager', { settings: { 'session?': 'Session' } }, [settings]);
  const { session, counter = estimatingCounter, clock = systemClock } = settings;
  const { redactor = createRedactor() } = settings;
  const log = redactedLog(settings.log ?? silentLog, redactor);
  const own: ContextState = noContext();
  /** Changes that the session has not acknowledged yet. */
  const pending: ContextEvent[] = [];
  let storing: Promise<unknown> = Promise.resolve();

  const manager: ContextManager = {
    addContext(key, content, options) {
      const { source: name = 'user', priority, ttlMs } = options ?? {};
      const source = SOURCES.find((known) => known === name);
      if (source === undefined) return warn(`${name} is not a source of context: it is one of ${SOURCES.join(', ')}.`);
      const means = {
        redact: (text: string) => redactor.redact(text).text,
        count: (text: string) => counter.count(text),
        now: clock.now(),
      };
      const { event, warning, problem } = newEntry({ key, content, priority, ttlMs, source }, means);
      if (problem !== undefined) return warn(problem);
      if (warning !== undefined) warn(warning);
      const known = active().find((entry) => entry.key === key);
      if (known === undefined || !isSameEntry(known, event.data)) change(event);
    },
    removeContext(key) {
      if (manager.hasContext(key)) change({ type: 'context.removed', data: { key, reason: 'user' } });
    },
    clearContext() {
      if (manager.getContext().length > 0) change({ type: 'context.cleared', data: {} });
    },
    getContext: () => [...active()],
    getSystemPromptAdditions: () => contextSections(active()),
    hasContext: (key) => hasContext(active(), key),
    getContextBySource: (source) => [...contextBySource(active(), source as ContextSource)],
    async settled() {
      await storing;
    },
  };
  const key = 'text';
  return checkCalls(manager, { addContext: { key, content: 'text' }, removeContext: { key }, hasContext: { key } });

  function change(event: Extract<NewOllmEvent, { type: ContextEvent['type'] }>): void {
    const stamped = { ...event, seq: 0, ts: new Date(clock.now()).toISOString() } as ContextEvent;
    if (session === undefined) {
      applyContext(own, stamped);
      return;
    }
    pending.push(stamped);
    const stored = session.append(event).finally(() => pending.splice(pending.indexOf(stamped), 1));
    storing = Promise.all([storing, stored]);
    storing.catch(() => {});
    stored.catch((error: unknown) => {
      log.error({ service: 'context', operation: event.type, sessionId: session.id, error }, 'It could not be stored');
    });
  }

  function active(): readonly ContextEntry[] {
    const state: ContextState = { entries: [...(session?.states.context ?? own).entries] };
    for (const event of pending) applyContext(state, event);
    const now = clock.now();
    return state.entries.filter(({ expiresAt }) => expiresAt === undefined || !(Date.parse(expiresAt) <= now));
  }

  function warn(message: string): void {
    log.warn({ service: 'context', operation: 'add' }, message);
  }
}
