// The conversation in the words of an export: turns, messages, tool calls with their results, and notes on everything
// else. Markdown and HTML are two ways to write the same transcript.
import { countOf, formatBytes, formatDuration } from '../display/quantities.ts';
import type { EventData } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { type Todo, todoProgress, todosOf } from '../messages/todos.ts';
import {
  addEvent,
  addItem,
  type ConversationCall,
  type ConversationItem,
  type ConversationMessage,
  emptyConversation,
  finishOf,
  type OtherEvent,
  partsOf,
  takeSettled,
} from '../projections/conversation.ts';
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
  /** Further pieces of a message that was shown before something else. */
  readonly continued: boolean;
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
  /** The tasks, for a call that writes the list of them. */
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
  /** Whether an undo left the event. */
  readonly isUndone?: (seq: number) => boolean;
}

type Unread = Exclude<ExportItem, { kind: 'event' }>;

/** The blocks of each batch of items. */
export async function* transcript(
  items: AsyncIterable<readonly ExportItem[]>,
  { isUndone = () => false }: TranscriptOptions = {},
): AsyncGenerator<Iterable<TranscriptBlock>, void, void> {
  const conversation = emptyConversation<Unread>();
  const blocks = (settled: readonly (ConversationItem | Unread)[]) =>
    settled.flatMap((item) => blockOf(item, isUndone));
  for await (const batch of items) {
    for (const item of batch) {
      if (item.kind === 'event') addEvent(conversation, item.event, isUndone);
      else addItem(conversation, item);
    }
    yield blocks(takeSettled(conversation));
  }
  yield blocks(takeSettled(conversation, { all: true }));
}

function blockOf(item: ConversationItem | Unread, isUndone: (seq: number) => boolean): readonly TranscriptBlock[] {
  switch (item.kind) {
    case 'damage':
      return [damageNote(item.damage)];
    case 'unknown':
      return [unknownNote(item.envelope, isUndone(item.envelope.seq))];
    case 'turn': {
      const { turn, ts, undone } = item;
      return [{ type: 'turn', turn, ts, undone }];
    }
    case 'message':
      return [messageBlock(item)];
    case 'call':
      return [toolBlock(item)];
    case 'replaced':
      return [noteAt(item, note('A message was replaced by this one.', { detail: partTexts(item.parts) }))];
    case 'compaction':
      return [noteAt(item, note(compactionText(item.data), { detail: item.data.summary }))];
    case 'fact': {
      const noted = noteOf(item.event);
      return noted === undefined ? [] : [noteAt(item, noted)];
    }
  }
}

function noteAt({ seq, ts, undone }: ConversationItem, noted: Note): NoteBlock {
  return { type: 'note', seq, ts, undone, ...noted };
}

type Note = Pick<NoteBlock, 'tone' | 'text' | 'detail'>;

function note(text: string, { tone = 'plain', detail }: Partial<Note> = {}): Note {
  return { tone, text, detail };
}

/** The note on an event that is neither a message nor a part of a call, if it is of interest to a reader. */
function noteOf(event: OtherEvent): Note | undefined {
  switch (event.type) {
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
    case 'session.created':
    case 'session.closed':
    case 'journal.sealed':
      return undefined;
  }
}

function messageBlock(message: ConversationMessage): MessageBlock {
  const { seq, ts, data, continues, undone } = message;
  return {
    type: 'message',
    seq,
    ts,
    role: data.role,
    parts: partsOf(message),
    model: data.model,
    cutShort: cutShort(finishOf(message)),
    continued: continues !== undefined,
    undone,
  };
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

function toolBlock(call: ConversationCall): ToolBlock {
  const { seq, ts, callId, request, decision, start, end, undone } = call;
  const changedArgs = decision?.args;
  const args = changedArgs ?? request?.args;
  const todos = request && todosOf(request.name, args);
  const words = [decision && decisionText(decision), start && placeText(start)].filter((text) => text !== undefined);
  return {
    type: 'tool',
    seq,
    ts,
    name: request?.name ?? callId,
    subject: todos === undefined ? subjectOf(args) : todoProgress(todos),
    args: request?.args,
    todos,
    changedArgs,
    decision: words.length === 0 ? undefined : words.join(' '),
    outcome: outcomeText(call),
    failed: end?.status !== 'ok',
    result:
      end &&
      [end.result.returnDisplay ?? end.result.llmContent, ...(end.result.images ?? []).map(partCaption)].join('\n'),
    remark: end === undefined ? decision?.reason : remarkOf(end),
    undone,
  };
}

function remarkOf({ truncated, encoding }: EventData<'tool.finished'>): string | undefined {
  if (truncated) return `Cut: ${formatBytes(truncated.keptBytes)} of ${formatBytes(truncated.originalBytes)} are kept.`;
  return encoding === 'base64' ? 'The output was not text; it is here in base64.' : undefined;
}

function outcomeText({ decision, end }: ConversationCall): string {
  if (end === undefined) return decision?.decision === 'deny' ? `denied by ${decision.by}` : 'no result';
  const { status, durationMs } = end;
  if (status === 'denied') return decision ? `denied by ${decision.by}` : 'denied';
  if (status === 'unknown') return 'interrupted, whether it had an effect is unknown';
  return durationMs === undefined ? status : `${status}, ${formatDuration(durationMs)}`;
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
  // The older form says that its session was compacted, and nothing else.
  if (tokensBefore === 0 && covers.to === 0) return 'The conversation had been compacted before. Nothing was removed.';
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
