// The course of a session in short steps with their times: prompts, answers, requests, calls with the times of their
// question, start and end, compactions, ends of turns. For a player, for the waterfall of a turn, and for two sessions
// side by side.
import { changedPaths, pathOfCall } from '../../../blame/call-edits.ts';
import type { EventData, OllmEvent, OllmEventOf } from '../../../events/index.ts';
import { knownEvents } from '../../../events/known-events.ts';
import { timeOf } from '../../../events/time-of.ts';
import type { Part } from '../../../messages/index.ts';
import { planOf } from '../../../messages/plan-of-call.ts';
import { subjectOfCall } from '../../../messages/subject-of-call.ts';
import type { Todo } from '../../../messages/todos.ts';
import { type Branches, isOnActiveBranch, moveTo, noBranches } from '../../../projections/branches.ts';
import {
  addEvent,
  addItem,
  type ConversationCall,
  type ConversationItem,
  emptyConversation,
  takeSettled,
} from '../../../projections/conversation.ts';
import { isPrompt } from '../../../projections/message-pieces.ts';
import { costOf } from '../../../providers/prices.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../../find/find-session.ts';

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
  readonly decidedAt?: string | undefined;
  readonly decidedBy?: EventData<'tool.decided'>['by'] | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  /** How a call or a turn ended. */
  readonly status?: string | undefined;
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
  await read(async (reader) => {
    for await (const event of knownEvents(reader.outcomes({ signal }))) steps.add(event);
  });
  return { sessionId: id, ...steps.result() };
}

/** A report of what a request used, in its place among the items of the conversation. */
interface RequestItem {
  readonly kind: 'request';
  readonly step: SessionStep;
  readonly message: string | undefined;
}

class Steps {
  readonly #priceOf: (usage: EventData<'usage.reported'>) => number | undefined;
  readonly #conversation = emptyConversation<RequestItem>();
  readonly #branches: Branches = noBranches();
  #steps: SessionStep[] = [];
  #isCut = false;
  #cwd: string | undefined;
  #model: string | undefined;
  #window: number | undefined;
  #message: string | undefined;

  constructor(priceOf: (usage: EventData<'usage.reported'>) => number | undefined) {
    this.#priceOf = priceOf;
  }

  add(event: OllmEvent): void {
    if (event.type === 'session.created') this.#cwd = event.data.cwd;
    if (event.type === 'session.created' || event.type === 'model.changed') {
      this.#model = event.data.model || this.#model;
      this.#window = event.data.contextWindow ?? this.#window;
    }
    if (event.type === 'branch.moved') moveTo(this.#branches, event.seq, event.data.head);
    if (event.type === 'usage.reported') addItem(this.#conversation, this.#requestOf(event));
    addEvent(this.#conversation, event);
    for (const item of takeSettled(this.#conversation)) this.#take(item);
  }

  #requestOf(event: OllmEventOf<'usage.reported'>): RequestItem {
    const { seq, turn, data } = event;
    const { message, model, inputTokens: input, outputTokens: output, totalCost } = data;
    const cost = totalCost ?? this.#priceOf(data);
    const step: SessionStep = { seq, at: timeOf(event), turn, kind: 'request', text: model, input, output, cost };
    return { kind: 'request', message, step };
  }

  #take(item: ConversationItem | RequestItem): void {
    if (item.kind === 'request') {
      // A request may be reported again with each part of its answer: then its last report counts.
      const isAgain = item.message !== undefined && item.message === this.#message;
      if (isAgain && this.#steps.at(-1)?.kind === 'request') this.#steps.pop();
      this.#message = item.message;
      this.#push(item.step);
      return;
    }
    const placed = { seq: item.seq, at: item.ts, turn: item.inTurn };
    if (item.kind === 'message') {
      const isAsked = isPrompt(item.data);
      for (const { seq, ts: at, parts } of item.pieces) {
        const text = textOf(parts);
        if (isAsked) this.#push({ ...placed, seq, at, kind: 'prompt', text });
        else if (item.data.role === 'assistant' && text !== '') this.#push({ ...placed, seq, at, kind: 'reply', text });
      }
    } else if (item.kind === 'call') {
      if (item.request !== undefined && item.late === undefined) this.#push({ ...placed, ...this.#callOf(item) });
    } else if (item.kind === 'compaction') {
      const { tokensBefore, tokensAfter } = item.data;
      this.#push({ ...placed, kind: 'compaction', text: '', input: tokensAfter, output: tokensBefore });
    } else if (item.kind === 'fact' && item.event.type === 'turn.ended') {
      const { status, retries } = item.event.data;
      this.#push({ ...placed, kind: 'end', text: '', status, retries });
    }
  }

  #callOf({ request, decision, start, end }: ConversationCall): Omit<SessionStep, 'seq' | 'at' | 'turn'> {
    const { name, args } = request!;
    const files = changedPaths(name, args).map((path) => this.#shown(path));
    return {
      kind: 'call',
      tool: name,
      text: cut(files.length > 0 ? files.join(', ') : subjectOf(args, (path) => this.#shown(path))),
      files,
      plan: typeof args === 'object' && args !== null ? planOf({ name, args: args as Arguments }) : undefined,
      decidedAt: decision?.ts,
      decidedBy: decision?.by,
      startedAt: start?.ts,
      endedAt: end?.ts,
      status: end?.status,
    };
  }

  result(): Omit<SessionSteps, 'sessionId'> {
    for (const item of takeSettled(this.#conversation, { all: true })) this.#take(item);
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

function subjectOf(args: unknown, shown: (path: string) => string): string {
  const path = pathOfCall(args);
  return path === undefined ? (subjectOfCall(args) ?? '') : shown(path);
}

function textOf(parts: readonly Part[]): string {
  return cut(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'));
}

function cut(text: string): string {
  return text.slice(0, CHARACTERS).toWellFormed().trim();
}
