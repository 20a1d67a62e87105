// The conversation as a person follows it: turns, messages, calls with their decision, start and end, compactions, and
// all other facts, each in the place where it began. The page, exports, lists of messages and the outline render these
// items, so that none of them shows another conversation. Works on any stretch of a journal. A reader of a long journal
// takes the settled items as they come; then only what calls wait for is in memory.
import type { EventData, OllmEvent, OllmEventOf } from '../events/index.ts';
import { outlastsUndo } from '../events/outlast-undo.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part } from '../messages/index.ts';
import { type Branches, moveTo, noBranches } from './branches.ts';
import { continuedBy, type MessagePieces, noPieces } from './message-pieces.ts';

/** Where an item of a conversation is in its journal. */
export interface PlacedItem {
  readonly seq: number;
  /** RFC 3339; undefined where the source has no time. */
  readonly ts: string | undefined;
  /** Whether an undo took it back. */
  readonly undone: boolean;
  /** Number of the turn of its first event. */
  readonly inTurn: number | undefined;
}

export interface ConversationTurn extends PlacedItem {
  readonly kind: 'turn';
  readonly turn: number;
  end?: EventData<'turn.ended'> & { readonly ts: string | undefined };
  /** Requests to models. */
  requests: number;
  /** US dollars, as far as prices are known. */
  cost?: number;
}

/** The pieces of a message that follow each other. */
export interface ConversationMessage extends PlacedItem {
  readonly kind: 'message';
  /** The event of the first piece. */
  readonly data: EventData<'message.added'>;
  readonly pieces: ConversationPiece[];
  /** seq of the message that these are further pieces of, with something else between them. */
  readonly continues: number | undefined;
}

interface ConversationPiece {
  readonly seq: number;
  readonly ts: string | undefined;
  readonly parts: readonly Part[];
  readonly finish: EventData<'message.added'>['finish'];
}

/** The later form of a message. */
interface ReplacedMessage extends PlacedItem {
  readonly kind: 'replaced';
  /** seq of that message; undefined where it is not among these events. */
  readonly of: number | undefined;
  readonly parts: readonly Part[];
}

/** A call of a tool, joined by its id. */
export interface ConversationCall extends PlacedItem {
  readonly kind: 'call';
  readonly callId: string;
  /** Undefined where the request is not among these events: then it begins with the first event about the call. */
  readonly request: EventData<'tool.requested'> | undefined;
  decision?: EventData<'tool.decided'> & { readonly ts?: string | undefined };
  start?: EventData<'tool.started'> & { readonly ts: string | undefined };
  end?: EventData<'tool.finished'> & { readonly seq: number; readonly ts: string | undefined };
  /** Shown before without an end, which came after its turn. This item has the end. */
  readonly late?: ConversationCall;
}

export interface ConversationCompaction extends PlacedItem {
  readonly kind: 'compaction';
  readonly data: EventData<'compaction.completed'>;
  /** A later event took it back. */
  isTakenBack: boolean;
}

/** Everything else that an event states. */
export interface ConversationFact extends PlacedItem {
  readonly kind: 'fact';
  readonly event: OtherEvent;
}

export type OtherEvent = Exclude<OllmEvent, { type: (typeof TOLD)[number] }>;

export type ConversationItem =
  | ConversationTurn
  | ConversationMessage
  | ReplacedMessage
  | ConversationCall
  | ConversationCompaction
  | ConversationFact;

/** Events that are no facts of their own. */
const TOLD = [
  'turn.started',
  'message.added',
  'message.replaced',
  'message.streamed',
  'tool.requested',
  'tool.decided',
  'tool.started',
  'tool.finished',
  'compaction.completed',
  'usage.reported',
] as const;

/** `Extra`: items that the reader puts between these. */
interface FoldedConversation<Extra extends { readonly kind: string } = never> {
  /** In the order in which they began. */
  items: (ConversationItem | Extra)[];
  /** How many items began. */
  count: number;
  /** Calls without an end, oldest first, and how many items began before each. */
  waiting: { readonly call: ConversationCall; readonly place: number }[];
  /** Calls that nothing waits for any more, oldest first. Their end may come late. */
  readonly left: ConversationCall[];
  readonly pieces: MessagePieces;
  readonly branches: Branches;
  turn?: ConversationTurn;
}

/** Most calls that wait at once, items that wait for a call, and calls whose late end is recognized. */
const MOST_WAITING = 256;
/** Pieces of a message in one item. */
const MOST_PIECES = 256;

export function emptyConversation<Extra extends { readonly kind: string } = never>(): FoldedConversation<Extra> {
  return { items: [], count: 0, waiting: [], left: [], pieces: noPieces(), branches: noBranches() };
}

/** The conversation with one more event. `isUndone` says it of an event of the conversation. */
export function addEvent<Extra extends { readonly kind: string } = never>(
  conversation: FoldedConversation<Extra>,
  event: OllmEvent,
  isUndone: (seq: number) => boolean = () => false,
): void {
  const { seq } = event;
  const undone = !outlastsUndo(event.type) && isUndone(seq);
  const placed = { seq, ts: timeOf(event), undone, inTurn: event.turn };
  switch (event.type) {
    case 'turn.started':
      leave(conversation, conversation.waiting.length);
      conversation.turn = { kind: 'turn', ...placed, turn: event.turn ?? 0, requests: 0 };
      addItem(conversation, conversation.turn);
      return;
    case 'message.added':
      addMessage(conversation, event, placed);
      return;
    case 'message.replaced': {
      const of = conversation.pieces.byId.get(event.data.message)?.seq;
      addItem(conversation, { kind: 'replaced', ...placed, of, parts: event.data.parts });
      return;
    }
    case 'tool.requested':
      addCall(conversation, { kind: 'call', ...placed, callId: event.data.callId, request: event.data });
      return;
    case 'tool.decided':
      callOf(conversation, event.data.callId, placed).decision = { ...event.data, ts: placed.ts };
      return;
    case 'tool.started':
      callOf(conversation, event.data.callId, placed).start = { ...event.data, ts: placed.ts };
      return;
    case 'tool.finished':
      endCall(conversation, event, placed);
      return;
    case 'compaction.completed':
      addItem(conversation, { kind: 'compaction', ...placed, data: event.data, isTakenBack: false });
      return;
    case 'usage.reported':
      addUsage(conversation.turn, event.data);
      return;
    case 'message.streamed':
      return;
    case 'turn.ended':
      leave(conversation, conversation.waiting.length);
      if (conversation.turn !== undefined) conversation.turn.end = { ...event.data, ts: placed.ts };
      break;
    case 'compaction.undone':
      takeBack(conversation, event.data.seq, placed);
      break;
    case 'branch.moved':
      moveTo(conversation.branches, seq, event.data.head);
      break;
  }
  addItem(conversation, { kind: 'fact', ...placed, event });
}

/** Puts an item of the reader's, or of the conversation, at its end. */
export function addItem<Extra extends { readonly kind: string }>(
  conversation: FoldedConversation<Extra>,
  item: ConversationItem | Extra,
): void {
  conversation.items.push(item);
  conversation.count += 1;
  const { waiting, count } = conversation;
  while (waiting[0] !== undefined && count - waiting[0].place > MOST_WAITING) leave(conversation, 1);
}

/**
 * Takes out the items from the first on that no event changes any more, except that a turn may get its end and a
 * compaction may be taken back. `all`: no event comes after these.
 */
export function takeSettled<Extra extends { readonly kind: string }>(
  { items, count, waiting }: FoldedConversation<Extra>,
  { all = false } = {},
): (ConversationItem | Extra)[] {
  if (all) return items.splice(0);
  // The last item may be a message that has further pieces.
  const last = items.at(-1)?.kind === 'message' ? count - 1 : count;
  const end = Math.min(last, waiting[0]?.place ?? count);
  return items.splice(0, items.length - (count - end));
}

/** All that a message has in these pieces. */
export function partsOf({ pieces }: Pick<ConversationMessage, 'pieces'>): readonly Part[] {
  return pieces.length === 1 ? pieces[0]!.parts : pieces.flatMap(({ parts }) => parts);
}

/** Why the model stopped, where its program says so. */
export function finishOf({ pieces }: Pick<ConversationMessage, 'pieces'>): ConversationPiece['finish'] {
  return pieces.findLast(({ finish }) => finish !== undefined)?.finish;
}

function addMessage<Extra extends { readonly kind: string }>(
  conversation: FoldedConversation<Extra>,
  event: OllmEventOf<'message.added'>,
  placed: PlacedItem,
): void {
  const { seq, data } = event;
  const continues = continuedBy(conversation.pieces, event, conversation.branches);
  const piece = { seq, ts: placed.ts, parts: data.parts, finish: data.finish };
  const last = conversation.items.at(-1) as ConversationItem | undefined;
  const isNext =
    last?.kind === 'message' && (last.continues ?? last.seq) === continues && last.undone === placed.undone;
  if (isNext && last.pieces.length < MOST_PIECES) last.pieces.push(piece);
  else addItem(conversation, { kind: 'message', ...placed, data, pieces: [piece], continues });
}

function addCall<Extra extends { readonly kind: string }>(
  conversation: FoldedConversation<Extra>,
  call: ConversationCall,
): ConversationCall {
  if (conversation.waiting.length >= MOST_WAITING) leave(conversation, 1);
  conversation.waiting.push({ call, place: conversation.count });
  addItem(conversation, call);
  return call;
}

/** The newest call with this id that has no end. */
function callOf<Extra extends { readonly kind: string }>(
  conversation: FoldedConversation<Extra>,
  callId: string,
  placed: PlacedItem,
): ConversationCall {
  const hasId = (call: ConversationCall) => call.callId === callId;
  const known = conversation.waiting.findLast(({ call }) => hasId(call))?.call ?? conversation.left.findLast(hasId);
  return known ?? addCall(conversation, { kind: 'call', ...placed, callId, request: undefined });
}

function endCall<Extra extends { readonly kind: string }>(
  conversation: FoldedConversation<Extra>,
  event: OllmEventOf<'tool.finished'>,
  placed: PlacedItem,
): void {
  const { waiting, left } = conversation;
  const end = { ...event.data, seq: event.seq, ts: placed.ts };
  const call = callOf(conversation, event.data.callId, placed);
  const index = waiting.findIndex((one) => one.call === call);
  if (index >= 0) {
    call.end = end;
    waiting.splice(index, 1);
  } else {
    left.splice(left.indexOf(call), 1);
    addItem(conversation, { ...call, end, late: call });
  }
}

/** No item waits for the oldest calls any more. */
function leave({ waiting, left }: Pick<FoldedConversation, 'waiting' | 'left'>, count: number): void {
  left.push(...waiting.splice(0, count).map(({ call }) => call));
  left.splice(0, left.length - MOST_WAITING);
}

function addUsage(turn: ConversationTurn | undefined, { totalCost }: EventData<'usage.reported'>): void {
  if (turn === undefined) return;
  turn.requests += 1;
  if (totalCost !== undefined) turn.cost = (turn.cost ?? 0) + totalCost;
}

/** An undone event takes back nothing that holds. */
function takeBack<Extra extends { readonly kind: string }>(
  { items }: FoldedConversation<Extra>,
  seq: number,
  { undone }: PlacedItem,
): void {
  const compaction = (items as ConversationItem[]).findLast((item) => item.kind === 'compaction' && item.seq === seq);
  if (compaction?.kind === 'compaction' && (!undone || compaction.undone)) compaction.isTakenBack = true;
}
