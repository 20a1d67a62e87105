// A conversation as another program takes it, as messages and calls: the next request to the model, or all of the
// present branch.
import type { ForeignEvent } from '../agents/agent.ts';
import { argumentsIn, saysSomething } from '../agents/members.ts';
import { timeOf } from '../events/time-of.ts';
import type { Batches, EventReader, SessionEvent } from '../journal/types.ts';
import type { ImagePart, Part } from '../messages/index.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
import { currentView, currentViewSummary } from '../projections/current-view.ts';
import { replay } from '../projections/replay.ts';
import { summaryFold } from '../projections/summary.ts';
import { type ViewCall, type ViewItem, type ViewMessage, type ViewState, viewFold } from '../projections/view.ts';
import {
  type CarriedConversation,
  type HandedCall,
  type HandedItem,
  LEFT_KINDS,
  type LeftKind,
  type MessagePiece,
  type Picture,
} from './item.ts';

interface ReadingConversation {
  /** Include the messages that a compaction covers. */
  readonly whole?: boolean | undefined;
  /** Bytes of a picture that no event brings, by its sha256. */
  readonly readBlob?: ((sha256: string) => Promise<Uint8Array | undefined>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The view without compactions: each message stays where it was. */
const wholeFold: typeof viewFold = {
  ...viewFold,
  name: 'whole',
  reads: viewFold.reads.filter((type) => !type.startsWith('compaction.')),
};
const SUMMARY = 'Summary of what came before:\n\n';

/**
 * @example
 * const { items, left } = await readConversation(reader);
 * @throws OllmError as the reader does
 */
export async function readConversation(
  reader: EventReader,
  { whole = false, readBlob, signal }: ReadingConversation = {},
): Promise<CarriedConversation> {
  const aside = new Aside();
  const folds = { view: whole ? wholeFold : viewFold, summary: summaryFold };
  const { states, lastSeq, counts } = await replay(aside.watching(reader), folds, { signal });
  const { view, summary } = states;
  const shown = currentView(view);
  await aside.load(shown, readBlob);
  const left = noneLeft();
  left.damaged = counts.damaged;
  countEntries(view, left);
  const items = itemsOf(shown, aside, left);
  const standing = currentViewSummary(view);
  const { title, cwd, startTime, lastActivity } = summary;
  return {
    items: standing === undefined ? items : [said('user', SUMMARY + standing), ...items],
    left,
    generation: aside.generation,
    lastSeq,
    title,
    cwd,
    startedAt: startTime || undefined,
    lastActivity: lastActivity || undefined,
  };
}

function said(role: 'user' | 'assistant', text: string): HandedItem {
  return { kind: 'message', role, pieces: [{ kind: 'text', text }] };
}

/** Facts of the events that no state keeps: times, keys, and the bytes of pictures. */
class Aside {
  readonly times = new Map<number, string>();
  readonly keys = new Map<number, string>();
  readonly pictures = new Map<string, string>();
  generation = 0;

  watching(reader: EventReader): Pick<EventReader, 'id' | 'outcomes'> {
    const see = (event: SessionEvent) => this.#see(event);
    async function* seen(batches: Batches<SessionEvent>): Batches<SessionEvent> {
      for await (const batch of batches) {
        for (const outcome of batch) if (outcome.kind === 'event') see(outcome.event);
        yield batch;
      }
    }
    return { id: reader.id, outcomes: (options) => seen(reader.outcomes(options)) };
  }

  /** Loads the pictures of these items; one that cannot be read stays missing. */
  async load(items: readonly ViewItem[], readBlob: ReadingConversation['readBlob']): Promise<void> {
    const named = new Set(items.flatMap(picturesIn));
    for (const blob of this.pictures.keys()) if (!named.has(blob)) this.pictures.delete(blob);
    for (const blob of named) {
      if (this.pictures.has(blob)) continue;
      const bytes = await readBlob?.(blob);
      if (bytes !== undefined) this.pictures.set(blob, Buffer.from(bytes).toString('base64'));
    }
  }

  #see(event: SessionEvent & Pick<ForeignEvent, 'attachments'>): void {
    const { seq, type, data } = event;
    this.generation = (event.position as { readonly generation?: number }).generation ?? 0;
    for (const { blob, base64 } of event.attachments ?? []) this.pictures.set(blob, base64);
    if (type !== 'message.added' && type !== 'tool.requested' && type !== 'tool.finished') return;
    const time = timeOf(event);
    if (time !== undefined) this.times.set(seq, time);
    const record = (data.origin as { readonly record?: unknown } | undefined)?.record;
    this.keys.set(seq, typeof record === 'string' ? record : String(seq));
  }
}

function picturesIn(item: ViewItem): string[] {
  const parts = item.kind === 'message' ? item.parts : item.kind === 'call' ? (item.result?.images ?? []) : [];
  return parts.flatMap((part) => (part.type === 'image' ? [part.blob] : []));
}

function noneLeft(): Record<LeftKind, number> {
  return Object.fromEntries(Object.keys(LEFT_KINDS).map((kind) => [kind, 0])) as Record<LeftKind, number>;
}

function countEntries({ timeline }: ViewState, left: Record<LeftKind, number>): void {
  const { branches, keptFrom, entries } = timeline;
  for (const { seq, pinned, kind } of entries) {
    if (pinned || kind === 'retrieval') continue;
    if (!isOnActiveBranch(branches, seq)) left.undone += 1;
    else if (seq < keptFrom) left.compacted += 1;
  }
}

function itemsOf(shown: readonly ViewItem[], aside: Aside, left: Record<LeftKind, number>): HandedItem[] {
  // What began with the prompt of another session has none of the user's.
  const hasPrompt = shown.some((item) => item.kind === 'message' && item.role === 'user' && !item.synthetic);
  const items: HandedItem[] = [];
  let step = 0;
  let before: ViewCall | undefined;
  for (const item of shown) {
    if (item.kind === 'retrieval') left.retrieved += 1;
    else if (item.kind === 'call') {
      if (before === undefined || !areOfOneStep(before, item)) step += 1;
      items.push(callOf(item, { step, aside, left }));
      before = item;
    } else if (item.role === 'system') left.system += 1;
    else if (item.role === 'user' && item.synthetic && hasPrompt) left.injected += 1;
    else {
      const message = messageOf(item, item.role, aside, left);
      if (message.pieces.length === 0) continue;
      items.push(message);
      before = undefined;
    }
  }
  return items;
}

/** Two calls of one answer; without its id, the second was asked for before the result of the first came. */
function areOfOneStep(before: ViewCall, call: ViewCall): boolean {
  if (before.answer !== undefined || call.answer !== undefined) return before.answer === call.answer;
  return before.result === undefined || call.seq < before.result.seq;
}

function messageOf(
  { seq, parts }: ViewMessage,
  role: 'user' | 'assistant',
  aside: Aside,
  left: Record<LeftKind, number>,
): HandedItem & { kind: 'message' } {
  const pieces = parts.flatMap((part): MessagePiece[] => {
    if (part.type === 'reasoning') left.reasoning += 1;
    const piece = pieceOf(part, aside);
    return piece === undefined ? [] : [piece];
  });
  return { kind: 'message', role, pieces, at: aside.times.get(seq) };
}

function pieceOf(part: Part, { pictures }: Aside): MessagePiece | undefined {
  switch (part.type) {
    case 'text':
      return saysSomething(part.text) ? { kind: 'text', text: part.text } : undefined;
    case 'image': {
      const base64 = pictures.get(part.blob);
      const { mediaType } = part;
      return base64 === undefined
        ? { kind: 'missing', file: undefined, mediaType }
        : { kind: 'picture', mediaType, base64 };
    }
    case 'file':
      return { kind: 'missing', file: part.name, mediaType: part.mediaType };
    case 'reasoning':
      return undefined;
  }
}

function callOf(
  { seq, name, args, result }: ViewCall,
  { step, aside, left }: { readonly step: number; readonly aside: Aside; readonly left: Record<LeftKind, number> },
): HandedCall {
  const images = result?.images ?? [];
  const pictures = images.flatMap((image) => pictureOf(image, aside));
  left.picture += images.length - pictures.length;
  return {
    kind: 'call',
    step,
    name,
    args: argumentsIn(args),
    end: result?.status ?? 'none',
    result: result === undefined ? '' : result.binary ? '(bytes that are not text)' : result.content,
    pictures,
    key: result && aside.keys.get(result.seq),
    at: aside.times.get(seq),
  };
}

function pictureOf({ blob, mediaType }: ImagePart, { pictures }: Aside): Picture[] {
  const base64 = pictures.get(blob);
  return base64 === undefined ? [] : [{ mediaType, base64 }];
}
