// A line for each turn, message and call that a reader of a conversation shows, so that readers can be compared. Later
// pieces of a message, and the late end of a call, are no lines of their own.
import type { ExportItem } from '../../lib/exporters/item.ts';
import { transcript } from '../../lib/exporters/transcript.ts';
import type { ShownBlock } from '../../lib/page/model/blocks.ts';
import type { ConversationItem } from '../../lib/projections/conversation.ts';
import { isPrompt } from '../../lib/projections/message-pieces.ts';

/** The kind, the place, whether it is undone, and the result of a call. */
export type Line = readonly [kind: string, place: number, undone: boolean, end?: string | undefined];

export function linesOfConversation(items: readonly ConversationItem[]): Line[] {
  return joined(
    items.flatMap((item): Line[] => {
      const { undone, seq } = item;
      if (item.kind === 'turn') return [['turn', item.turn, undone]];
      if (item.kind === 'message') return item.continues === undefined ? [['message', seq, undone]] : [];
      return item.kind === 'call' ? [['call', seq, undone, item.end?.result.llmContent]] : [];
    }),
  );
}

export function promptsIn(items: readonly ConversationItem[]): number[] {
  return items.flatMap((item) =>
    item.kind === 'message' && item.continues === undefined && isPrompt(item.data) ? [item.seq] : [],
  );
}

const ADDED_MESSAGES = ['System prompt', 'Added by a program'];

export function linesOfPage(blocks: readonly ShownBlock[]): Line[] {
  const shown = shownIn(blocks, false);
  const placed = shown.filter(({ isGathered }) => !isGathered);
  for (const gathered of shown.filter(({ isGathered }) => isGathered)) {
    const next = placed.findIndex(({ seq }) => seq > gathered.seq);
    placed.splice(next < 0 ? placed.length : next, 0, gathered);
  }
  return joined(placed.map(({ line }) => line));
}

interface Shown {
  readonly seq: number;
  readonly line: Line;
  /** A later change of a plan, which the page shows where the plan began. */
  readonly isGathered?: boolean;
}

function shownIn(blocks: readonly ShownBlock[], undone: boolean): Shown[] {
  return blocks.flatMap((block): Shown[] => {
    const { kind, seq } = block;
    if (kind === 'undone') return shownIn(block.blocks, true);
    if (kind === 'turn') return [{ seq, line: ['turn', block.turn, undone] }];
    if (kind === 'calls' || kind === 'plan') {
      return block.calls.map((call, index) => ({
        seq: call.seq,
        line: ['call', call.seq, undone, call.end?.result.llmContent],
        isGathered: kind === 'plan' && index > 0,
      }));
    }
    const isMessage =
      kind === 'prompt' || kind === 'reply' || (kind === 'added' && ADDED_MESSAGES.includes(block.title));
    return isMessage && block.continues === undefined ? [{ seq, line: ['message', seq, undone] }] : [];
  });
}

export async function linesOfTranscript(
  items: AsyncIterable<readonly ExportItem[]>,
  isUndone: (seq: number) => boolean,
): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const blocks of transcript(items, { isUndone })) {
    for (const block of blocks) {
      if (block.type === 'turn') lines.push(['turn', block.turn, block.undone]);
      else if (block.type === 'tool') lines.push(['call', block.seq, block.undone, block.result]);
      else if (block.type === 'message' && !block.continued) lines.push(['message', block.seq, block.undone]);
    }
  }
  return joined(lines);
}

const OF_HTML =
  /<h2 id="turn-(\d+)"( class="undone")?>|<article id="event-(\d+)" class="\w+( undone)?">\n<header><h3>[^<]*?( \(continued\))?<\/h3>|<details id="event-(\d+)"( class="undone")?/g;

export function linesOfHtml(html: string): Line[] {
  const lines = Array.from(html.matchAll(OF_HTML), (match): Line[] => {
    const [, turn, undoneTurn, message, undoneMessage, continued, call, undoneCall] = match;
    if (turn !== undefined) return [['turn', Number(turn), undoneTurn !== undefined]];
    if (call !== undefined) return [['call', Number(call), undoneCall !== undefined]];
    return continued === undefined ? [['message', Number(message), undoneMessage !== undefined]] : [];
  });
  return joined(lines.flat());
}

const OF_MARKDOWN =
  /^(?:## Turn (\d+)( \(undone\))?$|### \w+(?: · .*?)?( \(continued\))?( \(undone\))?\n\n\*.*?event (\d+)\*$|<summary>Tool .*?( \(undone\))?<\/summary>\n\n\*.*?event (\d+)\*$)/gm;

/** No text of the session may have a line of this form. */
export function linesOfMarkdown(text: string): Line[] {
  const lines = Array.from(text.matchAll(OF_MARKDOWN), (match): Line[] => {
    const [, turn, undoneTurn, continued, undoneMessage, message, undoneCall, call] = match;
    if (turn !== undefined) return [['turn', Number(turn), undoneTurn !== undefined]];
    if (call !== undefined) return [['call', Number(call), undoneCall !== undefined]];
    return continued === undefined ? [['message', Number(message), undoneMessage !== undefined]] : [];
  });
  return joined(lines.flat());
}

export function undoneSpans(head: number, isUndone: (seq: number) => boolean): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (let seq = 0; seq <= head; seq += 1) {
    if (!isUndone(seq)) continue;
    const last = spans.at(-1);
    if (last?.to === seq - 1) last.to = seq;
    else spans.push({ from: seq, to: seq });
  }
  return spans;
}

/** A call that is shown again with its late end is one call, which has that end. */
function joined(lines: readonly Line[]): Line[] {
  const all: Line[] = [];
  for (const line of lines) {
    const [kind, place, undone] = line;
    const before = kind === 'call' ? all.findIndex(([of, at]) => of === 'call' && at === place) : -1;
    if (before < 0) all.push(line);
    else all[before] = ['call', place, undone, ...line.slice(3)] as unknown as Line;
  }
  return all;
}
