// The course of a session in short steps with their times: prompts, answers, requests, calls with the times of their
// question, start and end, compactions, ends of turns. For a player, for the waterfall of a turn, and for two sessions
// side by side.
import { changesOfCall, pathOfCall } from '../../../blame/call-changes.ts';
import { isWholeWrite, replacedTexts } from '../../../blame/replaced-texts.ts';
import { decodeEvent } from '../../../events/decode.ts';
import type { EventData, OllmEvent } from '../../../events/index.ts';
import { timeOf } from '../../../events/time-of.ts';
import type { EventReader } from '../../../journal/types.ts';
import { planOf } from '../../../messages/plan-of-call.ts';
import type { Todo } from '../../../messages/todos.ts';
import { type Branches, isOnActiveBranch, moveTo, noBranches } from '../../../projections/branches.ts';
import { isPrompt } from '../../../projections/message-pieces.ts';
import { costOf } from '../../../providers/prices.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../find/find-session.ts';

interface SessionStep {
  readonly seq: number;
  readonly kind: 'prompt' | 'reply' | 'request' | 'call' | 'compaction' | 'end';
  /** RFC 3339. */
  readonly at?: string | undefined;
  readonly turn?: number | undefined;
  /** At most 200 characters: words of a message, the subject of a call. */
  readonly text: string;
  /** The tool of a call. */
  readonly tool?: string | undefined;
  decidedAt?: string | undefined;
  decidedBy?: EventData<'tool.decided'>['by'] | undefined;
  startedAt?: string | undefined;
  endedAt?: string | undefined;
  /** How a call or a turn ended. */
  status?: string | undefined;
  /** Files that a call changed. */
  readonly files?: readonly string[] | undefined;
  /** The plan as a call wrote it. */
  readonly plan?: readonly Todo[] | undefined;
  /** Tokens that a request sent; `output` those that came, `cost` US dollars. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cost?: number | undefined;
  /** Requests of the turn that failed and were made again. */
  readonly retries?: number | undefined;
  undone?: true | undefined;
}

export interface SessionSteps {
  readonly sessionId: string;
  readonly model: string | undefined;
  readonly steps: readonly SessionStep[];
  /** Only the newest steps are here. */
  readonly isCut: boolean;
  /** Tokens that the model takes in, where known. */
  readonly window: number | undefined;
}

const MOST_STEPS = 10_000;
const CHARACTERS = 200;
const SUBJECTS = ['command', 'cmd', 'pattern', 'query', 'url', 'description', 'prompt', 'task', 'question'];

/**
 * @example
 * const { steps } = await sessionSteps(app, '@last');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function sessionSteps(
  app: App,
  reference: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SessionSteps> {
  const { id, read } = await findConversation(app, reference);
  const steps = new Steps((usage) => costOf(usage, '', usage.model, app.config.prices ?? {}));
  await read((reader) => readInto(steps, reader, signal));
  return { sessionId: id, ...steps.result() };
}

async function readInto(steps: Steps, reader: EventReader, signal: AbortSignal | undefined): Promise<void> {
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      const decoded = outcome.kind === 'event' ? decodeEvent(outcome.event) : undefined;
      if (decoded?.kind === 'known') steps.add(decoded.event);
    }
  }
}

class Steps {
  readonly #priceOf: (usage: EventData<'usage.reported'>) => number | undefined;
  #steps: SessionStep[] = [];
  #isCut = false;
  readonly #branches: Branches = noBranches();
  readonly #open = new Map<string, SessionStep>();
  #cwd: string | undefined;
  #model: string | undefined;
  #window: number | undefined;
  #message: string | undefined;

  constructor(priceOf: (usage: EventData<'usage.reported'>) => number | undefined) {
    this.#priceOf = priceOf;
  }

  add(event: OllmEvent): void {
    const placed = { seq: event.seq, at: timeOf(event), turn: event.turn };
    switch (event.type) {
      case 'session.created':
        this.#cwd = event.data.cwd;
        this.#model = event.data.model || undefined;
        this.#window = event.data.contextWindow;
        return;
      case 'model.changed':
        this.#model = event.data.model;
        this.#window = event.data.contextWindow ?? this.#window;
        return;
      case 'branch.moved':
        moveTo(this.#branches, event.seq, event.data.head);
        return;
      case 'message.added': {
        const text = textOf(event.data);
        if (isPrompt(event.data)) this.#push({ ...placed, kind: 'prompt', text });
        else if (event.data.role === 'assistant' && text !== '') this.#push({ ...placed, kind: 'reply', text });
        return;
      }
      case 'usage.reported': {
        const { message, model, inputTokens: input, outputTokens: output, totalCost } = event.data;
        // A request may be reported again with each part of its answer: then its last report counts.
        if (message !== undefined && message === this.#message && this.#steps.at(-1)?.kind === 'request')
          this.#steps.pop();
        this.#message = message;
        this.#push({
          ...placed,
          kind: 'request',
          text: model,
          input,
          output,
          cost: totalCost ?? this.#priceOf(event.data),
        });
        return;
      }
      case 'tool.requested': {
        const { callId, name, args } = event.data;
        const files = filesOf(name, args).map((path) => this.#shown(path));
        const plan = typeof args === 'object' && args !== null ? planOf({ name, args: args as Arguments }) : undefined;
        const text = files.length > 0 ? files.join(', ') : subjectOf(args, (path) => this.#shown(path));
        const step: SessionStep = { ...placed, kind: 'call', tool: name, text: cut(text), files, plan };
        this.#open.set(callId, step);
        this.#push(step);
        return;
      }
      case 'tool.decided': {
        const step = this.#open.get(event.data.callId);
        if (step !== undefined) [step.decidedAt, step.decidedBy] = [placed.at, event.data.by];
        return;
      }
      case 'tool.started': {
        const step = this.#open.get(event.data.callId);
        if (step !== undefined) step.startedAt = placed.at;
        return;
      }
      case 'tool.finished': {
        const step = this.#open.get(event.data.callId);
        this.#open.delete(event.data.callId);
        if (step !== undefined) [step.endedAt, step.status] = [placed.at, event.data.status];
        return;
      }
      case 'compaction.completed': {
        const { tokensBefore, tokensAfter } = event.data;
        this.#push({ ...placed, kind: 'compaction', text: '', input: tokensAfter, output: tokensBefore });
        return;
      }
      case 'turn.ended': {
        const { status, retries } = event.data;
        this.#push({ ...placed, kind: 'end', text: '', status, retries });
        return;
      }
    }
  }

  result(): Omit<SessionSteps, 'sessionId'> {
    for (const step of this.#steps) if (!isOnActiveBranch(this.#branches, step.seq)) step.undone = true;
    return { model: this.#model, steps: this.#steps, isCut: this.#isCut, window: this.#window };
  }

  #push(step: SessionStep): void {
    this.#steps.push(step);
    if (this.#steps.length < 2 * MOST_STEPS) return;
    this.#steps = this.#steps.slice(-MOST_STEPS);
    this.#isCut = true;
  }

  #shown(path: string): string {
    const root = this.#cwd === undefined ? undefined : `${this.#cwd.replace(/\/$/, '')}/`;
    return root !== undefined && path.startsWith(root) ? path.slice(root.length) : path;
  }
}

type Arguments = Readonly<Record<string, unknown>>;

function filesOf(name: string, args: unknown): string[] {
  if (typeof args !== 'object' || args === null) return [];
  const changes = changesOfCall(name, args).map(({ path }) => path);
  if (changes.length > 0) return [...new Set(changes)];
  const path = pathOfCall(args);
  const texts = replacedTexts({ name, args: args as Arguments });
  return path !== undefined && (texts.length > 0 || isWholeWrite(name)) ? [path] : [];
}

function subjectOf(args: unknown, shown: (path: string) => string): string {
  if (typeof args !== 'object' || args === null) return '';
  const path = pathOfCall(args);
  if (path !== undefined) return shown(path);
  const found = SUBJECTS.map((name) => (args as Arguments)[name]).find((value) => value !== undefined && value !== '');
  if (Array.isArray(found)) return found.filter((each) => typeof each === 'string').join(' ');
  return typeof found === 'string' ? found : '';
}

function textOf({ parts }: EventData<'message.added'>): string {
  return cut(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'));
}

function cut(text: string): string {
  return text.slice(0, CHARACTERS).toWellFormed().trim();
}
