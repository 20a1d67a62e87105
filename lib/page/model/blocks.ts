// What a reader sees of events: turns, prompts, replies, calls with their decision and end, compactions, what was
// undone. Pure, over whatever stretch of the journal is loaded.
import { outlastsUndo } from '../../events/outlast-undo.ts';
import { timeOf } from '../../events/time-of.ts';
import type { Part, ToolResult } from '../../messages/index.ts';
import type { SentDamagedPlace, SentEvent, UndoneSpan } from '../api/types.ts';
import { planOf } from './plan.ts';

type CallState = 'asked' | 'allowed' | 'running' | 'ok' | 'failed' | 'declined' | 'timeout' | 'stopped' | 'unknown';

export interface ShownCall {
  readonly seq: number;
  readonly callId: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  state: CallState;
  decision?: Extract<SentEvent, { type: 'tool.decided' }>['data'];
  start?: Extract<SentEvent, { type: 'tool.started' }>['data'] & { ts: string | undefined };
  end?: Omit<Extract<SentEvent, { type: 'tool.finished' }>['data'], 'result'> & { result: ToolResult; seq: number };
}

interface Placed {
  readonly seq: number;
  /** Undefined where the source has no time. */
  readonly ts: string | undefined;
}

export type ShownBlock =
  | (Placed & {
      readonly kind: 'turn';
      readonly turn: number;
      end?: TurnEnd;
      requests: number;
      cost?: number | undefined;
    })
  | (Placed & { readonly kind: 'prompt'; readonly parts: readonly Part[]; readonly author?: string | undefined })
  | (Placed & { readonly kind: 'added'; readonly title: string; readonly parts: readonly Part[] })
  | (Placed & { readonly kind: 'reply'; readonly parts: readonly Part[]; readonly finish?: string | undefined })
  | (Placed & { readonly kind: 'calls'; readonly calls: ShownCall[] })
  | (Placed & { readonly kind: 'plan'; readonly calls: ShownCall[] })
  | (Placed & { readonly kind: 'compaction'; readonly data: CompactionData; isUndone: boolean })
  | (Placed & { readonly kind: 'undone'; readonly to: number; last: number; readonly blocks: ShownBlock[] })
  | (Placed & { readonly kind: 'damage'; readonly place: SentDamagedPlace })
  | (Placed & { readonly kind: 'fact'; readonly tone: 'plain' | 'warn' | 'danger'; readonly text: string });

type UndoneBlock = Extract<ShownBlock, { kind: 'undone' }>;
type CompactionBlock = Extract<ShownBlock, { kind: 'compaction' }>;
type CompactionData = Extract<SentEvent, { type: 'compaction.completed' }>['data'];
type TurnEnd = Extract<SentEvent, { type: 'turn.ended' }>['data'] & { ts: string | undefined };

/** The blocks of events in file order. */
export function blocksOf(
  events: readonly SentEvent[],
  { undone = [], damage = [] }: { undone?: readonly UndoneSpan[]; damage?: readonly SentDamagedPlace[] } = {},
): ShownBlock[] {
  const flow = new Flow();
  const places = [...damage];
  for (const event of events) {
    while (places[0] !== undefined && places[0].after < event.seq) {
      const place = places.shift()!;
      flow.enter(undefined, event.seq);
      flow.blocks.push({ kind: 'damage', seq: place.after, ts: timeOf(event), place });
    }
    const isIn = ({ from, to }: UndoneSpan) => event.seq >= from && event.seq <= to;
    flow.enter(outlastsUndo(event.type) ? undefined : undone.find(isIn), event.seq);
    flow.take(event);
  }
  for (const place of places) flow.blocks.push({ kind: 'damage', seq: place.after, ts: '', place });
  return flow.blocks;
}

class Flow {
  readonly blocks: ShownBlock[] = [];
  /** The undone span that the events are in, and its block after the first block in it. */
  #span: UndoneSpan | undefined;
  #fold: UndoneBlock | undefined;
  readonly #compactions = new Map<number, { block: CompactionBlock; span: UndoneSpan | undefined }>();
  readonly #calls = new Map<string, ShownCall>();
  #turn: Extract<ShownBlock, { kind: 'turn' }> | undefined;
  /** The plan of this turn: each change of it is told where it began. */
  #plan: ShownCall[] | undefined;

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

  take(event: SentEvent): void {
    const { seq } = event;
    const ts = timeOf(event);
    const place = { seq, ts };
    switch (event.type) {
      case 'turn.started':
        this.#turn = { kind: 'turn', ...place, turn: event.turn ?? 0, requests: 0 };
        this.#push(this.#turn);
        this.#plan = undefined;
        return;
      case 'turn.ended':
        if (this.#turn !== undefined) this.#turn.end = { ...event.data, ts };
        if (event.data.status === 'failed')
          this.#fact(place, 'danger', `This turn failed: ${event.data.error?.message ?? 'no reason is known'}`);
        if (event.data.status === 'budget') this.#fact(place, 'warn', 'Stopped: the limit is reached.');
        if (event.data.status === 'interrupted')
          this.#fact(
            place,
            'warn',
            event.data.origin === undefined
              ? 'ollm stopped while this turn ran. What was written is here.'
              : 'This turn has no answer in what its program stored.',
          );
        if (event.data.status === 'cancelled') this.#fact(place, 'plain', 'Stopped.');
        return;
      case 'usage.reported':
        if (this.#turn !== undefined) {
          this.#turn.requests += 1;
          const cost = event.data.totalCost;
          if (cost !== undefined) this.#turn.cost = (this.#turn.cost ?? 0) + cost;
        }
        return;
      case 'message.added':
        this.#message(event, place);
        return;
      case 'message.replaced':
        this.#push({ kind: 'added', ...place, title: 'A message was replaced by this one', parts: event.data.parts });
        return;
      case 'tool.requested':
        this.#request(event, place);
        return;
      case 'tool.decided': {
        const call = this.#call(event.data.callId, place);
        call.decision = event.data;
        call.state = event.data.decision === 'deny' ? 'declined' : 'allowed';
        return;
      }
      case 'tool.started': {
        const call = this.#call(event.data.callId, place);
        call.start = { ...event.data, ts };
        call.state = 'running';
        return;
      }
      case 'tool.finished': {
        const call = this.#call(event.data.callId, place);
        call.end = { ...event.data, seq };
        call.state = STATES[event.data.status];
        // A further end with this id is one whose request was lost: it must not take the place of this one.
        this.#calls.delete(event.data.callId);
        return;
      }
      case 'compaction.completed':
        this.#compact({ kind: 'compaction', ...place, data: event.data, isUndone: false });
        return;
      case 'compaction.undone': {
        // An undone event takes back nothing of what holds.
        const known = this.#compactions.get(event.data.seq);
        if (known !== undefined && (this.#span === undefined || known.span === this.#span)) known.block.isUndone = true;
        return;
      }
      case 'compaction.failed':
        this.#fact(place, 'warn', `Compacting failed: ${event.data.error.message}`);
        return;
      case 'loop.detected':
        this.#fact(place, 'warn', `The model repeats itself: ${event.data.details}`);
        return;
      case 'model.changed':
        this.#fact(place, 'plain', `Model: ${event.data.model} by ${event.data.provider}`);
        return;
      case 'journal.recovered':
        this.#fact(
          place,
          'warn',
          `${event.data.length} torn bytes at the end were set aside in ${event.data.quarantine}.`,
        );
        return;
      case 'journal.repaired':
        this.#fact(
          place,
          'warn',
          `This journal was repaired: ${event.data.findingsTotal} places, ${event.data.kept} lines kept.`,
        );
        return;
      case 'secret.redacted':
        this.#fact(place, 'plain', `${event.data.count} of ${event.data.kind} taken out of ${event.data.where}.`);
        return;
      case 'context.added':
        this.#fact(place, 'plain', `Context added: ${event.data.key}`);
        return;
      case 'context.removed':
        this.#fact(place, 'plain', `Context removed: ${event.data.key}`);
        return;
      case 'retrieval.added':
        this.#push({
          kind: 'added',
          ...place,
          title: `${event.data.chunks.length} passages found`,
          parts: event.data.chunks.map(({ source, text }) => ({ type: 'text', text: `${source}\n\n${text}` })),
        });
        return;
    }
  }

  #compact(block: CompactionBlock): void {
    this.#compactions.set(block.seq, { block, span: this.#span });
    this.#push(block);
  }

  #message({ data }: Extract<SentEvent, { type: 'message.added' }>, place: Placed): void {
    if (data.role === 'assistant') {
      this.#push({ kind: 'reply', ...place, parts: data.parts, finish: data.finish });
    } else if (data.role === 'user' && data.synthetic !== true) {
      this.#push({ kind: 'prompt', ...place, parts: data.parts, author: data.author });
      this.#plan = undefined;
    } else {
      const title = data.role === 'system' ? 'System prompt' : 'Added by a program';
      this.#push({ kind: 'added', ...place, title, parts: data.parts });
    }
  }

  #request({ data }: Extract<SentEvent, { type: 'tool.requested' }>, place: Placed): void {
    const call: ShownCall = { seq: place.seq, callId: data.callId, name: data.name, args: data.args, state: 'asked' };
    this.#calls.set(data.callId, call);
    if (planOf(call) === undefined) this.#stack(place).push(call);
    else if (this.#plan) this.#plan.push(call);
    else {
      this.#plan = [call];
      this.#push({ kind: 'plan', ...place, calls: this.#plan });
    }
  }

  /** The call of an id; one whose request is not loaded, or was lost, has no name. */
  #call(callId: string, place: Placed): ShownCall {
    const known = this.#calls.get(callId);
    if (known !== undefined) return known;
    const call: ShownCall = { seq: place.seq, callId, name: '', args: {}, state: 'unknown' };
    this.#calls.set(callId, call);
    this.#stack(place).push(call);
    return call;
  }

  /** Calls that follow each other are one block. */
  #stack(place: Placed): ShownCall[] {
    const last = this.#span === undefined ? this.blocks.at(-1) : this.#fold?.blocks.at(-1);
    if (last?.kind === 'calls') return last.calls;
    const calls: ShownCall[] = [];
    this.#push({ kind: 'calls', ...place, calls });
    return calls;
  }

  #fact(place: Placed, tone: 'plain' | 'warn' | 'danger', text: string): void {
    this.#push({ kind: 'fact', ...place, tone, text });
  }
}

const STATES: Readonly<Record<Extract<SentEvent, { type: 'tool.finished' }>['data']['status'], CallState>> = {
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
