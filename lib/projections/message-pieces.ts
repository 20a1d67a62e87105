// Which message an event is a piece of. Programs store one answer in several events with the same message id; a piece
// belongs to the message before it with that id and role, unless a prompt came between them or that message was undone.
import type { EventData, OllmEventOf } from '../events/index.ts';
import type { Role } from '../messages/index.ts';
import { type Branches, isOnActiveBranch } from './branches.ts';

export interface MessagePieces {
  /** By message id: the first event of the newest message with it. */
  readonly byId: Map<string, { readonly seq: number; readonly role: Role }>;
  /** seq of the newest prompt. */
  prompt: number;
}

/** A program that gives more ids than this gets no late pieces and replacements of the oldest. */
const MOST_IDS = 4096;

export function noPieces(): MessagePieces {
  return { byId: new Map(), prompt: -1 };
}

/** Whether the user wrote the message, and not a program in the role of the user. */
export function isPrompt({ role, synthetic }: Pick<EventData<'message.added'>, 'role' | 'synthetic'>): boolean {
  return role === 'user' && synthetic !== true;
}

/**
 * seq of the first event of the message that this event is a further piece of; undefined where a message begins with
 * it.
 */
export function continuedBy(
  pieces: MessagePieces,
  { seq, data }: Pick<OllmEventOf<'message.added'>, 'seq' | 'data'>,
  branches: Branches,
): number | undefined {
  const { message, role } = data;
  const before = message === undefined ? undefined : pieces.byId.get(message);
  if (before?.role === role && before.seq >= pieces.prompt && isOnActiveBranch(branches, before.seq)) return before.seq;
  if (isPrompt(data)) pieces.prompt = seq;
  if (message !== undefined) {
    pieces.byId.delete(message);
    pieces.byId.set(message, { seq, role });
    for (const oldest of pieces.byId.keys()) if (pieces.byId.size > MOST_IDS) pieces.byId.delete(oldest);
  }
  return undefined;
}
