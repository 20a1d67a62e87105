// Texts that go before the model with every request: the service of the requirements. With a session every change is an
// event, so that it is there again after a resume; what was added counts at once, before it is stored.
import { entryProblem, entryWarning } from '../context/check-entry.ts';
import { contextBySource, contextSections, hasContext } from '../context/entries.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
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

export type { ContextEntry };

export interface AddContextOptions {
  /** Higher comes first; equal ones in the order they came. Default: 50. */
  readonly priority?: number;
  /** `hook`, `extension`, `user` or `system`. Default: `user`. */
  readonly source?: string;
  /** After this long it leaves by itself. */
  readonly ttlMs?: number;
}

export interface ContextManager {
  /** Under a key that is there it replaces the entry. What is no entry is left out, with a warning in the log. */
  addContext(key: string, content: string, options?: AddContextOptions): void;
  removeContext(key: string): void;
  clearContext(): void;
  /** In the order in which the model gets them. */
  getContext(): ContextEntry[];
  /** Markdown, a section for each; what only informs and must not instruct is delimited. */
  getSystemPromptAdditions(): string;
  hasContext(key: string): boolean;
  getContextBySource(source: string): ContextEntry[];
  /** Resolves when all that was changed so far is stored. @throws OllmError what an append throws */
  settled(): Promise<void>;
}

export interface ContextManagerSettings {
  /** Where the entries are kept. Default: in memory alone. */
  readonly session?: Session | undefined;
  readonly counter?: TokenCounter | undefined;
  /** Default: known shapes of secrets are taken out. */
  readonly redactor?: Redactor | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

const DEFAULT_PRIORITY = 50;
const SOURCES: readonly ContextSource[] = ['hook', 'extension', 'user', 'system'];

/**
 * What the system prompt is to have besides, by keys. With a session it is kept there as events, and is there again when the
 * session is resumed.
 *
 * @example
 * const context = createContextManager({ session });
 * context.addContext('rota', 'Anna is on call.', { priority: 60, ttlMs: 3_600_000 });
 * await context.settled();
 */
export function createContextManager(settings: ContextManagerSettings = {}): ContextManager {
  const { session, counter = estimatingCounter, clock = systemClock, log = silentLog } = settings;
  const { redactor = createRedactor() } = settings;
  const own: ContextState = noContext();
  /** Changes that the session has not acknowledged yet. */
  const pending: ContextEvent[] = [];
  let storing: Promise<unknown> = Promise.resolve();

  const manager: ContextManager = {
    addContext(key, content, { priority = DEFAULT_PRIORITY, source = 'user', ttlMs } = {}) {
      const known = SOURCES.find((name) => name === source);
      const problem =
        entryProblem({ key, content, priority, ttlMs }) ??
        (known ? undefined : `${source} is no source of context: it is one of ${SOURCES.join(', ')}.`);
      if (problem !== undefined || known === undefined) return warn('add', problem ?? '');
      const clean = redactor.redact(content).text;
      const tokens = counter.count(clean);
      const warning = entryWarning({ key, tokens: tokens.count });
      if (warning !== undefined) warn('add', warning);
      const expiry = ttlMs === undefined ? {} : { expiresAt: new Date(clock.now() + ttlMs).toISOString() };
      // What the user adds may instruct; what a program contributes informs.
      const trusted = known === 'user';
      change({
        type: 'context.added',
        data: { key, content: clean, priority, source: known, ...expiry, tokens, trusted },
      });
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
  return manager;

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

  function warn(operation: string, message: string): void {
    log.warn({ service: 'context', operation }, message);
  }
}
