// The conversation in the blocks of the page, over whatever stretch of the journal is loaded: plans and calls that
// follow each other in one block, and undone items folded.
import type { EventData } from '../../events/index.ts';
import { timeOf } from '../../events/time-of.ts';
import type { Part } from '../../messages/index.ts';
import { planOf } from '../../messages/plan-of-call.ts';
import {
  addEvent,
  addItem,
  type ConversationCall,
  type ConversationCompaction,
  type ConversationFact,
  type ConversationItem,
  type ConversationMessage,
  type ConversationTurn,
  emptyConversation,
  finishOf,
  partsOf,
} from '../../projections/conversation.ts';
import { isPrompt } from '../../projections/message-pieces.ts';
import type { SentDamagedPlace, SentEvent, UndoneSpan } from '../api/types.ts';
import { agentAdvice } from './agent-advice.ts';

type CallState = 'asked' | 'allowed' | 'running' | 'ok' | 'failed' | 'declined' | 'timeout' | 'stopped' | 'unknown';

export interface ShownCall extends Pick<ConversationCall, 'seq' | 'callId'> {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  readonly decision?: ConversationCall['decision'] | undefined;
  readonly start?: ConversationCall['start'] | undefined;
  readonly end?: ConversationCall['end'] | undefined;
}

interface Placed {
  readonly seq: number;
  /** Undefined where the source has no time. */
  readonly ts: string | undefined;
}

interface SaidMessage extends Placed {
  readonly parts: readonly Part[];
  /** seq of the message that this is a further piece of. */
  readonly continues?: number | undefined;
}

export type ShownBlock =
  | ConversationTurn
  | (SaidMessage & {
      readonly kind: 'prompt';
      readonly author?: string | undefined;
      /** The turn began with it: the user did not say it while one ran. */
      readonly isFirst: boolean;
    })
  | (SaidMessage & { readonly kind: 'added'; readonly title: string })
  | (SaidMessage & { readonly kind: 'reply'; readonly finish?: string | undefined })
  | (Placed & { readonly kind: 'calls'; readonly calls: ShownCall[] })
  | (Placed & { readonly kind: 'plan'; readonly calls: ShownCall[] })
  | (Placed & {
      readonly kind: 'compaction';
      readonly data: ConversationCompaction['data'];
      readonly isUndone: boolean;
    })
  | (Placed & { readonly kind: 'undone'; readonly to: number; last: number; readonly blocks: ShownBlock[] })
  | (Placed & { readonly kind: 'damage'; readonly place: SentDamagedPlace })
  | (Placed & {
      readonly kind: 'end';
      readonly data: EventData<'turn.ended'>;
      /** The last answer of the turn. */
      readonly answer: readonly Part[] | undefined;
      /** Something was answered or done in it. */
      readonly hasBegun: boolean;
    })
  | (Placed & { readonly kind: 'fact'; readonly tone: 'plain' | 'warn' | 'danger'; readonly text: string });

type UndoneBlock = Extract<ShownBlock, { kind: 'undone' }>;

interface ShownDamage {
  readonly kind: 'damage';
  readonly ts: string | undefined;
  readonly place: SentDamagedPlace;
}

/** The blocks of events in file order. */
export function blocksOf(
  events: readonly SentEvent[],
  { undone = [], damage = [] }: { undone?: readonly UndoneSpan[]; damage?: readonly SentDamagedPlace[] } = {},
): ShownBlock[] {
  const conversation = emptyConversation<ShownDamage>();
  const spanAt = (seq: number) => undone.find(({ from, to }) => from <= seq && seq <= to);
  const places = [...damage];
  for (const event of events) {
    while (places[0] !== undefined && places[0].after < event.seq)
      addItem(conversation, { kind: 'damage', ts: timeOf(event), place: places.shift()! });
    addEvent(conversation, event, (seq) => spanAt(seq) !== undefined);
  }
  for (const place of places) addItem(conversation, { kind: 'damage', ts: '', place });
  const flow = new Flow();
  for (const item of conversation.items) {
    const seq = item.kind === 'damage' ? item.place.after + 1 : item.seq;
    flow.enter(item.kind !== 'damage' && item.undone ? spanAt(seq) : undefined, seq);
    flow.take(item);
  }
  return flow.blocks;
}

class Flow {
  readonly blocks: ShownBlock[] = [];
  /** The undone span that the items are in, and its block after the first block in it. */
  #span: UndoneSpan | undefined;
  #fold: UndoneBlock | undefined;
  readonly #calls = new Map<ConversationCall, ShownCall>();
  /** The plan of this turn: each change of it is told where it began. */
  #plan: ShownCall[] | undefined;
  /** The present turn as far as it is known here. */
  #turn = newTurn(false);

  /** From the event at `seq` on, blocks belong to this span; a setting within it parts its block in two. */
  enter(span: UndoneSpan | undefined, seq: number): void {
    if (span === this.#span) return;
    if (this.#fold !== undefined) this.#fold.last = Math.min(this.#fold.last, seq - 1);
    this.#span = span;
    this.#fold = undefined;
    this.#plan = undefined;
  }

  #push(block: ShownBlock): void {
    const { seq, ts } = block;
    if (this.#span === undefined) {
      this.blocks.push(block);
    } else if (this.#fold === undefined) {
      const { to } = this.#span;
      this.#fold = { kind: 'undone', seq, ts, to, last: to, blocks: [block] };
      this.blocks.push(this.#fold);
    } else {
      this.#fold.blocks.push(block);
    }
  }

  take(item: ConversationItem | ShownDamage): void {
    switch (item.kind) {
      case 'damage':
        this.#push({ kind: 'damage', seq: item.place.after, ts: item.ts, place: item.place });
        return;
      case 'turn':
        this.#push(item);
        this.#plan = undefined;
        this.#turn = newTurn(true);
        return;
      case 'message':
        this.#message(item);
        return;
      case 'replaced': {
        const { seq, ts, parts } = item;
        this.#push({ kind: 'added', seq, ts, title: 'A message was replaced by this one', parts });
        return;
      }
      case 'call':
        this.#call(item);
        return;
      case 'compaction': {
        const { seq, ts, data, isTakenBack } = item;
        this.#push({ kind: 'compaction', seq, ts, data, isUndone: isTakenBack });
        return;
      }
      case 'fact': {
        const block = item.event.type === 'turn.ended' ? this.#end(item, item.event.data) : factOf(item);
        if (block !== undefined) this.#push(block);
        return;
      }
    }
  }

  #message(message: ConversationMessage): void {
    const { seq, ts, data, continues } = message;
    const said = { seq, ts, parts: partsOf(message), continues };
    if (data.role === 'assistant') {
      this.#push({ kind: 'reply', ...said, finish: finishOf(message) });
      if (textOf(said.parts) !== '') this.#turn.answer = said.parts;
      this.#turn.hasBegun = true;
    } else if (isPrompt(data)) {
      const isFirst = this.#turn.isKnown && !this.#turn.hasPrompt;
      this.#push({ kind: 'prompt', ...said, author: data.author, isFirst });
      this.#turn.hasPrompt = true;
      this.#plan = undefined;
    } else {
      const title = data.role === 'system' ? 'System prompt' : 'Added by a program';
      this.#push({ kind: 'added', ...said, title });
    }
  }

  #call(item: ConversationCall): void {
    const call = shownCall(item);
    const known = item.late && this.#calls.get(item.late);
    if (known !== undefined) {
      Object.assign(known, call);
      return;
    }
    this.#calls.set(item, call);
    this.#turn.hasBegun = true;
    if (planOf(call) === undefined) this.#stack(item).push(call);
    else if (this.#plan) this.#plan.push(call);
    else {
      this.#plan = [call];
      this.#push({ kind: 'plan', seq: item.seq, ts: item.ts, calls: this.#plan });
    }
  }

  #end({ seq, ts }: ConversationFact, data: EventData<'turn.ended'>): ShownBlock {
    const { answer, hasBegun } = this.#turn;
    return { kind: 'end', seq, ts, data, answer, hasBegun };
  }

  /** Calls that follow each other are one block. */
  #stack({ seq, ts }: ConversationCall): ShownCall[] {
    const last = this.#span === undefined ? this.blocks.at(-1) : this.#fold?.blocks.at(-1);
    if (last?.kind === 'calls') return last.calls;
    const calls: ShownCall[] = [];
    this.#push({ kind: 'calls', seq, ts, calls });
    return calls;
  }
}

interface TurnSoFar {
  readonly isKnown: boolean;
  hasPrompt: boolean;
  answer: readonly Part[] | undefined;
  hasBegun: boolean;
}

function newTurn(isKnown: boolean): TurnSoFar {
  return { isKnown, hasPrompt: false, answer: undefined, hasBegun: false };
}

/** The block of an event that is neither said, nor a call, nor a compaction; undefined if it is of no interest here. */
function factOf({ seq, ts, event }: ConversationFact): ShownBlock | undefined {
  const fact = (tone: 'plain' | 'warn' | 'danger', text: string) => ({ kind: 'fact', seq, ts, tone, text }) as const;
  switch (event.type) {
    case 'compaction.failed':
      return fact('warn', `Compacting failed: ${event.data.error.message}`);
    case 'loop.detected':
      return fact('warn', `The model repeats itself: ${event.data.details}`);
    case 'model.changed':
      return fact('plain', `Model: ${event.data.model} by ${event.data.provider}`);
    case 'journal.recovered':
      return fact('warn', `${event.data.length} torn bytes at the end were set aside in ${event.data.quarantine}.`);
    case 'journal.repaired':
      return fact(
        'warn',
        `This journal was repaired: ${event.data.findingsTotal} places, ${event.data.kept} lines kept.`,
      );
    case 'secret.redacted':
      return fact('plain', `${event.data.count} of ${event.data.kind} taken out of ${event.data.where}.`);
    case 'queue.changed': {
      const { errors = [] } = event.data;
      const words = errors.map(({ message }) => `Not asked: ${message}`).join(' ');
      return words === '' ? undefined : fact('danger', words);
    }
    case 'run.started': {
      const { agent, program, workspace } = event.data;
      const version = program.version === undefined ? '' : ` ${program.version}`;
      return fact('plain', `${agent}${version} started in ${workspace}`);
    }
    case 'run.changed': {
      const { model, thinking } = event.data;
      const words = [model && `Model: ${model}`, thinking && `Thinking: ${thinking}`].filter(Boolean);
      return words.length === 0 ? undefined : fact('plain', words.join('. '));
    }
    case 'run.status': {
      const { to, error } = event.data;
      if (to === 'stopped') return fact('plain', 'Stopped.');
      return error === undefined
        ? undefined
        : fact('danger', [error.message, agentAdvice(error.code)].join(' ').trim());
    }
    case 'run.partial': {
      const parts = [{ type: event.data.kind === 'text' ? 'text' : 'reasoning', text: event.data.text } as const];
      return { kind: 'reply', seq, ts, parts, finish: 'failed' };
    }
    case 'run.output':
      return {
        kind: 'added',
        seq,
        ts,
        title: 'Printed by the agent',
        parts: [{ type: 'text', text: event.data.text }],
      };
    case 'run.linked':
      return fact('plain', `The agent went on in ${event.data.address}.`);
    case 'run.ended':
      return event.data.reason === 'interrupted'
        ? fact('warn', 'ollm ended while the agent worked. Its next message starts the agent again.')
        : undefined;
    case 'context.added':
      return fact('plain', `Context added: ${event.data.key}`);
    case 'context.removed':
      return fact('plain', `Context removed: ${event.data.key}`);
    case 'retrieval.added': {
      const { chunks } = event.data;
      const parts = chunks.map(({ source, text }) => ({ type: 'text', text: `${source}\n\n${text}` }) as const);
      return { kind: 'added', seq, ts, title: `${chunks.length} passages found`, parts };
    }
    default:
      return undefined;
  }
}

/** A call whose request is not loaded, or was lost, has no name. */
function shownCall({ seq, callId, request, decision, start, end }: ConversationCall): ShownCall {
  const { name = '', args = {} } = request ?? {};
  return { seq, callId, name, args, state: stateOf({ request, decision, start, end }), decision, start, end };
}

function stateOf({
  request,
  decision,
  start,
  end,
}: Pick<ConversationCall, 'request' | 'decision' | 'start' | 'end'>): CallState {
  if (end !== undefined) return STATES[end.status];
  if (start !== undefined) return 'running';
  if (decision !== undefined) return decision.decision === 'deny' ? 'declined' : 'allowed';
  return request === undefined ? 'unknown' : 'asked';
}

const STATES: Readonly<Record<EventData<'tool.finished'>['status'], CallState>> = {
  ok: 'ok',
  error: 'failed',
  denied: 'declined',
  timeout: 'timeout',
  cancelled: 'stopped',
  unknown: 'unknown',
};

/** The text of a message's parts that are text. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
