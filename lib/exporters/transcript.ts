// What an export says of a session, in order: turns, messages, tool calls with their results, and notes on what
// happened besides. Markdown and HTML are two ways to write the same transcript. Holds no more than the open tool
// calls.

import { countOf, formatBytes, formatDuration } from '../display/quantities.ts';
import type { EventData, OllmEvent, OllmEventOf } from '../events/index.ts';
import { outlastsUndo } from '../events/outlast-undo.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part } from '../messages/index.ts';
import { type Todo, todoProgress, todosOf } from '../messages/todos.ts';
import type { DamagedPlace, ExportItem } from './item.ts';
import { partCaption } from './part-caption.ts';
import { decisionText, placeText, subjectOf } from './tool-call.ts';

export type TranscriptBlock =
  | { readonly type: 'turn'; readonly turn: number; readonly ts: string | undefined; readonly undone: boolean }
  | MessageBlock
  | ToolBlock
  | NoteBlock;

export interface MessageBlock {
  readonly type: 'message';
  readonly seq: number;
  /** RFC 3339; undefined where the source has no time. */
  readonly ts: string | undefined;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
  readonly model: string | undefined;
  /** Why the text is not whole; undefined if it is. */
  readonly cutShort: string | undefined;
  readonly undone: boolean;
}

export interface ToolBlock {
  readonly type: 'tool';
  readonly seq: number;
  /** RFC 3339; undefined where the source has no time. */
  readonly ts: string | undefined;
  readonly name: string;
  /** The command, path or query that it was about, on one line. */
  readonly subject: string | undefined;
  /** As the model gave them. */
  readonly args: unknown;
  /** What is to do, of a call that writes the list of it. */
  readonly todos: readonly Todo[] | undefined;
  /** What ran in their place, where the user changed them. */
  readonly changedArgs: unknown;
  /** The decision with its rule, and the place where it ran. */
  readonly decision: string | undefined;
  /** “ok, 12 ms”, “denied by policy”, “no result”. */
  readonly outcome: string;
  readonly failed: boolean;
  readonly result: string | undefined;
  readonly remark: string | undefined;
  readonly undone: boolean;
}

export interface NoteBlock {
  readonly type: 'note';
  readonly tone: 'plain' | 'warning';
  readonly seq: number | undefined;
  readonly ts: string | undefined;
  readonly text: string;
  /** More to read, folded away: a summary, an entry of the context. */
  readonly detail: string | undefined;
  readonly undone: boolean;
}

interface TranscriptOptions {
  /** Whether the event was left behind by an undo. */
  readonly isUndone?: (seq: number) => boolean;
}

/** Tool calls kept open at once: one that waits longer is shown without its result. */
const MAX_OPEN_CALLS = 256;

/** Calls that were shown without a result, which may come late: as many as are remembered. */
const MAX_LEFT_CALLS = 256;

interface OpenCall {
  readonly request: OllmEventOf<'tool.requested'>;
  decided?: EventData<'tool.decided'>;
  started?: EventData<'tool.started'>;
  undone: boolean;
}

/** The blocks of each batch of items. */
export async function* transcript(
  items: AsyncIterable<readonly ExportItem[]>,
  { isUndone = () => false }: TranscriptOptions = {},
): AsyncGenerator<Iterable<TranscriptBlock>, void, void> {
  const calls: Calls = { open: new Map(), left: new Map() };
  for await (const batch of items) yield blocksOf(batch, calls, isUndone);
  yield withoutResult(calls, calls.open.keys());
}

/** By their ids, in their order. */
interface Calls {
  readonly open: Map<string, OpenCall>;
  readonly left: Map<string, OpenCall>;
}

function* blocksOf(
  items: readonly ExportItem[],
  calls: Calls,
  isUndone: (seq: number) => boolean,
): Generator<TranscriptBlock, void, void> {
  for (const item of items) {
    if (item.kind === 'damage') yield damageNote(item.damage);
    else if (item.kind === 'unknown') yield unknownNote(item.envelope, isUndone(item.envelope.seq));
    else yield* describe(item.event, calls, isUndone(item.event.seq) && !outlastsUndo(item.event.type));
  }
}

function* describe(event: OllmEvent, calls: Calls, undone: boolean): Generator<TranscriptBlock, void, void> {
  const { open, left } = calls;
  switch (event.type) {
    case 'turn.started':
      yield* withoutResult(calls, open.keys());
      yield { type: 'turn', turn: event.turn ?? 0, ts: timeOf(event), undone };
      return;
    case 'message.added':
      yield messageBlock(event, undone);
      return;
    case 'tool.requested': {
      const { callId } = event.data;
      // One of the same id would take its place, and it would not be shown at all.
      if (open.has(callId)) yield* withoutResult(calls, [callId]);
      else if (open.size >= MAX_OPEN_CALLS) yield* withoutResult(calls, [...open.keys()].slice(0, 1));
      open.set(callId, { request: event, undone });
      return;
    }
    case 'tool.decided': {
      const call = open.get(event.data.callId);
      if (call) call.decided = event.data;
      return;
    }
    case 'tool.started': {
      const call = open.get(event.data.callId);
      if (call) call.started = event.data;
      return;
    }
    case 'tool.finished': {
      const { callId } = event.data;
      yield finishedCall(event, open.get(callId) ?? left.get(callId), undone);
      open.delete(callId);
      left.delete(callId);
      return;
    }
    default: {
      if (event.type === 'turn.ended') yield* withoutResult(calls, open.keys());
      const said = noteOf(event);
      if (said) yield { type: 'note', seq: event.seq, ts: timeOf(event), undone, ...said };
    }
  }
}

type NotedEvent = Exclude<
  OllmEvent,
  { type: 'turn.started' | 'message.added' | `tool.${'requested' | 'decided' | 'started' | 'finished'}` }
>;
type Note = Pick<NoteBlock, 'tone' | 'text' | 'detail'>;

function note(text: string, { tone = 'plain', detail }: Partial<Note> = {}): Note {
  return { tone, text, detail };
}

/** What is said of an event that is neither a message nor a part of a call, if it is of interest to a reader. */
function noteOf(event: NotedEvent): Note | undefined {
  switch (event.type) {
    case 'message.replaced':
      return note('A message was replaced by this one.', { detail: partTexts(event.data.parts) });
    case 'turn.ended':
      return event.data.status === 'completed' ? undefined : note(turnEnd(event.data), { tone: 'warning' });
    case 'session.titled':
      return event.data.by === 'derived' ? undefined : note(`The session was titled “${event.data.title}”.`);
    case 'model.changed':
      return note(`From here on ${event.data.model} (${event.data.provider}) answers.`);
    case 'tools.changed':
      return note(`The tool ${event.data.name} was switched ${event.data.enabled ? 'on' : 'off'}.`);
    case 'setting.changed': {
      const { key, value } = event.data;
      return note(value === null ? `${key} is as configured again.` : `${key} is ${String(value)} from here on.`);
    }
    case 'context.added':
      return note(`“${event.data.key}” was added to the context.`, { detail: event.data.content });
    case 'context.removed':
      return note(`“${event.data.key}” left the context${event.data.reason === 'expired' ? ': it had expired' : ''}.`);
    case 'context.cleared':
      return note('The context was cleared.');
    case 'retrieval.added':
      return note(
        `${countOf(event.data.chunks.length, 'passage')} found for “${event.data.query}” went to the model.`,
        {
          detail: event.data.chunks.map((chunk) => `${chunk.source}\n\n${chunk.text}`).join('\n\n'),
        },
      );
    case 'compaction.completed':
      return note(compactionText(event.data), { detail: event.data.summary });
    case 'compaction.failed':
      return note(`The history could not be compacted: ${event.data.error.message}`, { tone: 'warning' });
    case 'compaction.undone':
      return note(`The compaction at event ${event.data.seq} was taken back.`);
    case 'loop.detected':
      return event.data.pattern === 'turn-limit' && event.data.action === 'ask'
        ? note(`After ${event.data.count} requests the user let the model go on.`)
        : note(`The model repeated itself: ${event.data.details} (${event.data.count} times).`, { tone: 'warning' });
    case 'moderation.flagged':
      return note(`Marked as suspicious (${event.data.rule}): ${event.data.details}`, { tone: 'warning' });
    case 'secret.redacted':
      return note(`${countOf(event.data.count, 'secret')} (${event.data.kind}) kept out of the journal.`);
    case 'branch.moved':
      return note(`The conversation went back to event ${event.data.head} and continues from there.`);
    case 'journal.recovered':
      return note(
        `The journal ended in ${formatBytes(event.data.length)} that are not a whole line. They are in quarantine/${event.data.quarantine}.`,
        { tone: 'warning' },
      );
    case 'journal.repaired':
      return note(
        `The journal was repaired: ${countOf(event.data.kept, 'line')} taken over, ${countOf(event.data.findingsTotal, 'finding')}. The damaged one is archive/${event.data.archive}.`,
        { tone: 'warning' },
      );
    case 'writer.opened':
      return note(
        event.data.clean ? 'The session was resumed.' : 'The session was resumed after it had ended abruptly.',
      );
    // At the head of the export, shown as a message, or of no interest to a reader.
    case 'message.streamed':
    case 'session.created':
    case 'session.closed':
    case 'usage.reported':
    case 'journal.sealed':
      return undefined;
  }
}

function messageBlock(event: OllmEventOf<'message.added'>, undone: boolean): MessageBlock {
  const { role, parts, model, finish } = event.data;
  return { type: 'message', seq: event.seq, ts: timeOf(event), role, parts, model, cutShort: cutShort(finish), undone };
}

function partTexts(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : partCaption(part))).join('\n');
}

function cutShort(finish: EventData<'message.added'>['finish']): string | undefined {
  if (finish === 'cancelled') return 'cancelled: this is how far the reply had come';
  if (finish === 'failed') return 'broken off: this is what had arrived';
  if (finish === 'length') return 'cut at the length limit of the model';
  if (finish === 'content-filter') return 'stopped by the filter of the provider';
  return undefined;
}

function finishedCall(event: OllmEventOf<'tool.finished'>, call: OpenCall | undefined, undone: boolean): ToolBlock {
  const { status, result, durationMs, truncated, encoding } = event.data;
  return {
    type: 'tool',
    seq: call?.request.seq ?? event.seq,
    ts: timeOf(call?.request ?? event),
    name: call?.request.data.name ?? event.data.callId,
    ...(call ? requested(call) : UNREQUESTED),
    outcome: outcomeText(status, durationMs, call?.decided),
    failed: status !== 'ok',
    result: [result.returnDisplay ?? result.llmContent, ...(result.images ?? []).map(partCaption)].join('\n'),
    remark: truncated
      ? `Cut: ${formatBytes(truncated.keptBytes)} of ${formatBytes(truncated.originalBytes)} are kept.`
      : encoding === 'base64'
        ? 'The output was not text; it is here in base64.'
        : undefined,
    undone: call?.undone ?? undone,
  };
}

type Requested = Pick<ToolBlock, 'subject' | 'args' | 'todos' | 'changedArgs' | 'decision'>;

/** Of a call whose request is not among the events that are exported. */
const UNREQUESTED: Requested = {
  subject: undefined,
  args: undefined,
  todos: undefined,
  changedArgs: undefined,
  decision: undefined,
};

function requested({ request, decided, started }: OpenCall): Requested {
  const { name, args } = request.data;
  const changedArgs = decided?.args;
  const todos = todosOf(name, changedArgs ?? args);
  const words = [decided && decisionText(decided), started && placeText(started)].filter((text) => text !== undefined);
  return {
    subject: todos === undefined ? subjectOf(changedArgs ?? args) : todoProgress(todos),
    args,
    todos,
    changedArgs,
    decision: words.length === 0 ? undefined : words.join(' '),
  };
}

function outcomeText(
  status: EventData<'tool.finished'>['status'],
  durationMs: number | undefined,
  decided: EventData<'tool.decided'> | undefined,
): string {
  if (status === 'denied') return decided ? `denied by ${decided.by}` : 'denied';
  if (status === 'unknown') return 'interrupted, whether it had an effect is unknown';
  return durationMs === undefined ? status : `${status}, ${formatDuration(durationMs)}`;
}

function* withoutResult({ open, left }: Calls, callIds: Iterable<string>): Generator<ToolBlock, void, void> {
  for (const callId of [...callIds]) {
    const call = open.get(callId)!;
    const { request, decided, undone } = call;
    yield {
      type: 'tool',
      seq: request.seq,
      ts: timeOf(request),
      name: request.data.name,
      ...requested(call),
      outcome: decided?.decision === 'deny' ? `denied by ${decided.by}` : 'no result',
      failed: true,
      result: undefined,
      remark: decided?.reason,
      undone,
    };
    open.delete(callId);
    left.delete(callId);
    left.set(callId, call);
    for (const oldest of left.keys()) if (left.size > MAX_LEFT_CALLS) left.delete(oldest);
  }
}

function turnEnd({ status, error, origin }: EventData<'turn.ended'>): string {
  const endings = {
    completed: 'The turn is complete.',
    cancelled: 'The turn was cancelled.',
    failed: 'The turn failed',
    loop: 'The turn was stopped: the model repeated itself.',
    budget: 'The turn was stopped: its budget was used up.',
    interrupted: 'The turn was interrupted: the program ended in the middle of it.',
  } as const;
  // Few programs store that a turn was stopped: that no answer follows is all there is to see.
  if (status === 'interrupted' && origin !== undefined) return 'The turn has no answer in what its program stored.';
  if (status !== 'failed') return endings[status];
  return error ? `${endings.failed}: ${error.message}` : `${endings.failed}.`;
}

function compactionText({ strategy, covers, tokensBefore, tokensAfter }: EventData<'compaction.completed'>): string {
  return `The model no longer gets events ${covers.from} to ${covers.to} in full (${strategy}: ${tokensBefore} → ${tokensAfter} tokens). Nothing was removed.`;
}

function damageNote({ kind, offset, length, reason }: DamagedPlace): NoteBlock {
  const text = `Damage in the journal (${kind}) at byte ${offset}, ${formatBytes(length)}: ${reason}`;
  return { type: 'note', tone: 'warning', seq: undefined, ts: undefined, text, detail: undefined, undone: false };
}

function unknownNote({ seq, ts, type }: { seq: number; ts: string; type: string }, undone: boolean): NoteBlock {
  const text = `An event of type ${type}, which this version does not know.`;
  return { type: 'note', tone: 'plain', seq, ts, text, detail: undefined, undone };
}
