// Where context entries are in a request: those that held before anything was said are at its beginning, and each
// change since is a note between the messages, where it came (docs/decisions/0037). So nothing that was sent moves.
// The places follow from the events of the journal: the same view gives the same ones.
import { joined, ownText, type RequestText } from '../messages/untrusted.ts';
import type { ContextEntry } from '../projections/context.ts';
import { contextAt, contextChanges } from '../projections/context-versions.ts';
import type { ViewState } from '../projections/view.ts';
import type { RequestMessage } from './assembled.ts';
import { contextSections, headingOf } from './entries.ts';

/** A note before the step that begins at this seq; without a seq, after all steps. */
export interface ContextNote {
  readonly before: number | undefined;
  readonly messages: readonly Extract<RequestMessage, { role: 'context' }>[];
}

const CHANGED = ownText(
  'System note: each section that follows holds from here on, in place of what was said before under its heading.',
);

/** What changed after the event `from`, between steps that begin with the events `starts`, oldest first. */
export function contextNotes(view: ViewState, from: number, starts: readonly number[]): readonly ContextNote[] {
  const changes = contextChanges(view, from);
  const notes: ContextNote[] = [];
  let sent = contextAt(view, from);
  let next = 0;
  for (const before of [...starts, undefined]) {
    const first = next;
    while (next < changes.length && (before === undefined || changes[next]! < before)) next += 1;
    if (next === first) continue;
    const now = contextAt(view, changes[next - 1]!);
    const messages = changeMessages(sent, now);
    if (messages.length > 0) notes.push({ before, messages });
    sent = now;
  }
  return notes;
}

function changeMessages(before: readonly ContextEntry[], now: readonly ContextEntry[]): ContextNote['messages'] {
  const changed = now.filter((entry) => !before.some((old) => saysTheSame(old, entry)));
  const gone = before.filter(({ key }) => !now.some((entry) => entry.key === key));
  return [true, false].flatMap((trusted): ContextNote['messages'] => {
    const isOfTrust = (entry: ContextEntry) => entry.trusted === trusted;
    const sections = contextSections(changed.filter(isOfTrust));
    const ended = gone.filter(isOfTrust).map(({ key }) => ownText(`The section "${headingOf(key)}" no longer holds.`));
    const texts: RequestText[] = [
      ...(sections === '' ? [] : [CHANGED, sections]),
      ...(ended.length === 0 ? [] : [joined([ownText('System note:'), ...ended])]),
    ];
    return texts.length === 0 ? [] : [{ role: 'context', text: joined(texts), instructs: trusted }];
  });
}

function saysTheSame(left: ContextEntry, right: ContextEntry): boolean {
  return (
    left.key === right.key &&
    left.content === right.content &&
    left.trusted === right.trusted &&
    (left.trusted || left.source === right.source)
  );
}
