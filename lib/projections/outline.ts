// Projection: an overview of a whole conversation: its prompts, compactions and branches that were left, and a map of
// at most 225 rows. Grows with prompts, not with the length of messages.
import type { OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part } from '../messages/index.ts';
import { type Branches, isOnActiveBranch, moveTo, noBranches } from './branches.ts';
import { continuedBy, isPrompt, type MessagePieces, noPieces } from './message-pieces.ts';
import type { Fold } from './projection.ts';
import { TIMELINE_EVENTS } from './timeline.ts';

export interface OutlinePrompt {
  readonly seq: number;
  /** RFC 3339. */
  readonly ts?: string | undefined;
  /** At most 200 characters, in its newest form. */
  text: string;
  /** seq of the prompt before it in its branch. */
  readonly after?: number | undefined;
}

export interface OutlineCompaction {
  readonly seq: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The most important kind among its events; later kinds in this list count more. */
const MAP_KINDS = ['other', 'tool', 'reply', 'prompt', 'compaction'] as const;
type MapKind = (typeof MAP_KINDS)[number];

export interface OutlineState {
  head: number;
  prompts: OutlinePrompt[];
  compactions: OutlineCompaction[];
  branches: Branches;
  readonly pieces: MessagePieces;
  /** The number of events that a row represents. */
  perRow: number;
  /** `ended`: calls that came to an end, and `failed` of these. */
  rows: { kind: MapKind; characters: number; ended?: number; failed?: number }[];
}

const MOST_ROWS = 225;
const PROMPT_CHARACTERS = 200;

const READS = [...TIMELINE_EVENTS, 'compaction.completed'] as const;

export const outlineFold: Fold<OutlineState, (typeof READS)[number]> = {
  name: 'outline',
  version: 3,
  reads: READS,
  initial: () => ({
    head: -1,
    prompts: [],
    compactions: [],
    branches: noBranches(),
    pieces: noPieces(),
    perRow: 1,
    rows: [],
  }),
  see(state, { seq }) {
    state.head = Math.max(state.head, seq);
    return state;
  },
  apply(state, event) {
    const { seq } = event;
    switch (event.type) {
      case 'message.added':
        addMessage(state, event);
        return state;
      case 'message.replaced': {
        const prompt = promptAt(state, state.pieces.byId.get(event.data.message)?.seq);
        if (prompt !== undefined) prompt.text = beginningOf(event.data.parts);
        return state;
      }
      case 'tool.requested':
        addToMap(state, seq, 'tool', 0);
        return state;
      case 'tool.finished': {
        const { status, result } = event.data;
        const hasFailed = status === 'error' || status === 'timeout';
        addToMap(state, seq, 'tool', result.llmContent.length, hasFailed ? 1 : 0);
        return state;
      }
      case 'compaction.completed': {
        const { tokensBefore, tokensAfter } = event.data;
        state.compactions.push({ seq, tokensBefore, tokensAfter });
        addToMap(state, seq, 'compaction', 0);
        return state;
      }
      case 'branch.moved':
        moveTo(state.branches, seq, event.data.head);
        return state;
    }
  },
};

function addMessage(state: OutlineState, event: OllmEventOf<'message.added'>): void {
  const { seq, data } = event;
  const { length } = textOf(data.parts);
  addToMap(state, seq, isPrompt(data) ? 'prompt' : data.role === 'assistant' ? 'reply' : 'other', length);
  const continued = continuedBy(state.pieces, event, state.branches);
  const prompt = promptAt(state, continued);
  if (prompt !== undefined) prompt.text = [prompt.text, textOf(data.parts)].join(' ').slice(0, PROMPT_CHARACTERS);
  else if (isPrompt(data) && continued === undefined) {
    const after = state.prompts.findLast((each) => isOnActiveBranch(state.branches, each.seq))?.seq;
    state.prompts.push({ seq, ts: timeOf(event), text: beginningOf(data.parts), after });
  }
}

function promptAt({ prompts }: OutlineState, seq: number | undefined): OutlineState['prompts'][number] | undefined {
  return seq === undefined ? undefined : prompts.findLast((prompt) => prompt.seq === seq);
}

function beginningOf(parts: readonly Part[]): string {
  return textOf(parts).slice(0, PROMPT_CHARACTERS);
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}

/** If there is no room for a further row, each pair of rows is merged. */
function addToMap(state: OutlineState, seq: number, kind: MapKind, characters: number, failed?: 0 | 1): void {
  while (Math.floor(seq / state.perRow) >= MOST_ROWS) {
    state.rows = Array.from({ length: Math.ceil(state.rows.length / 2) }, (_, row) =>
      joined(state.rows[2 * row]!, state.rows[2 * row + 1]),
    );
    state.perRow *= 2;
  }
  const row = Math.floor(seq / state.perRow);
  while (state.rows.length <= row) state.rows.push({ kind: 'other', characters: 0 });
  state.rows[row] = joined(state.rows[row]!, { kind, characters, ...(failed !== undefined && { ended: 1, failed }) });
}

type OutlineRow = OutlineState['rows'][number];

function joined(a: OutlineRow, b: OutlineRow | undefined): OutlineRow {
  if (b === undefined) return a;
  const kind = MAP_KINDS.indexOf(a.kind) >= MAP_KINDS.indexOf(b.kind) ? a.kind : b.kind;
  const ended = (a.ended ?? 0) + (b.ended ?? 0);
  const failed = (a.failed ?? 0) + (b.failed ?? 0);
  return { kind, characters: a.characters + b.characters, ...(ended > 0 && { ended, failed }) };
}
