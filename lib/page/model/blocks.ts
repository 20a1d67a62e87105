// What a reader sees of events: turns, prompts, replies, calls with their decision and end, compactions, what was
// undone. Pure, over whatever stretch of the journal is loaded.
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
  | (Placed & { readonly kind: 'undone'; readonly to: number; readonly blocks: readonly ShownBlock[] })
  | (Placed & { readonly kind: 'damage'; readonly place: SentDamagedPlace })
  | (Placed & { readonly kind: 'fact'; readonly tone: 'plain' | 'warn' | 'danger'; readonly text: string });

type CompactionData = Extract<SentEvent, { type: 'compaction.completed' }>['data'];
type TurnEnd = Extract<SentEvent, { type: 'turn.ended' }>['data'] & { ts: string | undefined };

/** The blocks of events in file order. */
export function blocksOf(
  events: readonly SentEvent[],
  { undone = [], damage = [] }: { undone?: readonly UndoneSpan[]; damage?: readonly SentDamagedPlace[] } = {},
): ShownBlock[] {
  const flow = new Flow();
  const places = [...damage];
  const spans = [...undone].sort((a, b) => a.from - b.from);
  let within: { span: UndoneSpan; flow: Flow; first: SentEvent } | undefined;
  const close = (): void => {
    if (within === undefined) return;
    const { span, first } = within;
    flow.blocks.push({ kind: 'undone', seq: first.seq, ts: timeOf(first), to: span.to, blocks: within.flow.blocks });
    within = undefined;
  };

  for (const event of events) {
    if (within !== undefined && event.seq > within.span.to) close();
    while (places[0] !== undefined && places[0].after < event.seq) {
      const place = places.shift()!;
      flow.blocks.push({ kind: 'damage', seq: place.after, ts: timeOf(event), place });
    }
    const span = spans.find(({ from, to }) => event.seq >= from && event.seq <= to);
    if (span !== undefined && within === undefined) within = { span, flow: new Flow(), first: event };
    (within?.flow ?? flow).take(event);
  }
  close();
  for (const place of places) flow.blocks.push({ kind: 'damage', seq: place.after, ts: '', place });
  return flow.blocks;
}

class Flow {
  readonly blocks: ShownBlock[] = [];
  readonly #calls = new Map<string, ShownCall>();
  #turn: Extract<ShownBlock, { kind: 'turn' }> | undefined;
  /** The plan of this turn: each change of it is told where it began. */
  #plan: ShownCall[] | undefined;

  take(event: SentEvent): void {
    const { seq } = event;
    const ts = timeOf(event);
    const place = { seq, ts };
    switch (event.type) {
      case 'turn.started':
        this.#turn = { kind: 'turn', ...place, turn: event.turn ?? 0, requests: 0 };
        this.blocks.push(this.#turn);
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
        this.#fact(place, 'plain', 'A message was changed after it was added.');
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
        return;
      }
      case 'compaction.completed':
        this.blocks.push({ kind: 'compaction', ...place, data: event.data, isUndone: false });
        return;
      case 'compaction.undone':
        for (const block of this.blocks)
          if (block.kind === 'compaction' && block.seq === event.data.seq) block.isUndone = true;
        return;
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
        this.blocks.push({
          kind: 'added',
          ...place,
          title: `${event.data.chunks.length} passages found`,
          parts: event.data.chunks.map(({ source, text }) => ({ type: 'text', text: `${source}\n\n${text}` })),
        });
        return;
    }
  }

  #message({ data }: Extract<SentEvent, { type: 'message.added' }>, place: Placed): void {
    if (data.role === 'assistant') {
      this.blocks.push({ kind: 'reply', ...place, parts: data.parts, finish: data.finish });
    } else if (data.role === 'user' && data.synthetic !== true) {
      this.blocks.push({ kind: 'prompt', ...place, parts: data.parts, author: data.author });
      this.#plan = undefined;
    } else {
      const title = data.role === 'system' ? 'System prompt' : 'Added by a program';
      this.blocks.push({ kind: 'added', ...place, title, parts: data.parts });
    }
  }

  #request({ data }: Extract<SentEvent, { type: 'tool.requested' }>, place: Placed): void {
    const call: ShownCall = { seq: place.seq, callId: data.callId, name: data.name, args: data.args, state: 'asked' };
    this.#calls.set(data.callId, call);
    if (planOf(call) === undefined) this.#stack(place).push(call);
    else if (this.#plan) this.#plan.push(call);
    else {
      this.#plan = [call];
      this.blocks.push({ kind: 'plan', ...place, calls: this.#plan });
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
    const last = this.blocks.at(-1);
    if (last?.kind === 'calls') return last.calls;
    const calls: ShownCall[] = [];
    this.blocks.push({ kind: 'calls', ...place, calls });
    return calls;
  }

  #fact(place: Placed, tone: 'plain' | 'warn' | 'danger', text: string): void {
    this.blocks.push({ kind: 'fact', ...place, tone, text });
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

/** When it happened, where that is known: an event of another program has only the time that its source has. */
export function timeOf(event: SentEvent): string | undefined {
  return event.data.at ?? (event.data.origin === undefined && event.ts !== '' ? event.ts : undefined);
}

/** The text of a message's parts that are text. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
