// Projection: the texts of a session's events, as rows for the full-text index, and the catalogue's facts about a
// session in addition to its summary. The owner takes the rows out after each batch, so that they are never all in
// memory.
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part, Role } from '../messages/index.ts';
import { isPrompt } from '../projections/message-pieces.ts';
import type { Fold } from '../projections/projection.ts';
import { excerptOf } from '../projections/summary.ts';
import { knownTokens, textTokens } from '../tokens/estimate.ts';
import { bothEnds, type TakeOutSecrets } from './both-ends.ts';
import { addToShape, noShape, type ShapeState } from './session-shape.ts';

/**
 * - `text`: what a person or a model said
 * - `call`: the name and the arguments of a tool call
 * - `output`: what a tool brought back
 * - `reasoning`: what a model thought
 * - `injected`: what a program said in the role of the user or the system
 */
export type TextKind = 'text' | 'call' | 'output' | 'reasoning' | 'injected';
export type TextRole = Role | 'tool';

/** A text of a session. */
export interface TextRow {
  readonly seq: number;
  /** The agent's id of the record, where it has one. */
  readonly key: string | undefined;
  /** Id of the message that it is, or is a part of. */
  readonly message: string | undefined;
  readonly role: TextRole;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: TextKind;
  readonly text: string;
  /** For a call or an output: the name of the tool. */
  readonly tool?: string | undefined;
  /** For an output: the beginning of the arguments of its call, on one line, and whether the call failed. */
  readonly about?: string | undefined;
  /** For an output that was cut: the attachment with all of it. */
  readonly blob?: string | undefined;
  /** Whether only both ends of the text are here. */
  readonly isCut?: boolean | undefined;
  /** Replaces an earlier text of the session under the same `message`. */
  readonly replaces?: true;
}

export interface TextsState {
  rows: TextRow[];
  shape: ShapeState;
  /** Calls without a result yet, the newest of them: what a result is about. */
  calls: { readonly callId: string; readonly tool: string; readonly about: string }[];
  title?: string;
  /** The first thing that the user said, on one line. */
  firstPrompt?: string | undefined;
  /** How the last message of a person or a model begins, on one line. */
  last?: { readonly by: 'user' | 'assistant'; readonly text: string; readonly message: string | undefined };
  project?: string;
  branch?: string;
  remote?: string;
  /** Tokens of all requests, taken in and answered, as far as programs reported them. */
  used?: number;
  /** US dollars, as far as providers reported them. */
  cost?: number;
  /** The last report, which a later one on the same message corrects. */
  lastReport?: { readonly message: string; readonly used: number; readonly cost?: number | undefined };
}

interface TextsOptions {
  /** Whether outputs of tools are among them. */
  readonly outputs: boolean;
  readonly clean: TakeOutSecrets;
}

const READS = [
  'session.created',
  'session.titled',
  'turn.started',
  'message.added',
  'message.replaced',
  'tool.requested',
  'tool.finished',
  'usage.reported',
  'compaction.completed',
] as const;

/** Half of them from each end are kept of a longer text. */
const MAX_TEXT_CHARACTERS = 16 * 1024 * 1024;
const MAX_DEPTH = 8;
/** Calls of one answer run in parallel, rarely this many. */
const MAX_OPEN_CALLS = 64;
const MAX_ABOUT_CHARACTERS = 160;

/** Raised when the same events give different rows. */
export const TEXTS_VERSION = 8;

export function textsFold({ outputs, clean }: TextsOptions): Fold<TextsState, (typeof READS)[number]> {
  return {
    name: 'texts',
    version: TEXTS_VERSION,
    reads: READS,
    initial: () => ({ rows: [], shape: noShape(), calls: [] }),
    apply(state, event) {
      switch (event.type) {
        case 'session.created':
          takeBeginning(state, event.data, clean);
          break;
        case 'session.titled':
          state.title = clean(event.data.title);
          break;
        case 'turn.started':
          // A command that became a longer text is here as it was typed.
          if (state.firstPrompt === undefined) takePrompt(state, clean(event.data.input ?? ''));
          break;
        case 'message.added':
        case 'message.replaced':
          addMessage(state, messageRows(event, clean));
          if (event.type === 'message.added') addMessageToShape(state.shape, event.data);
          break;
        case 'tool.requested':
          addCall(state, event, clean);
          break;
        case 'tool.finished':
          addOutput(state, event, { outputs, clean });
          addResultToShape(state.shape, event.data);
          break;
        case 'compaction.completed':
          addToShape(state.shape, 0, 'compaction');
          break;
        case 'usage.reported':
          addUsed(state, event.data);
          break;
      }
      return state;
    },
  };
}

function takeBeginning(
  state: TextsState,
  { title, git, cwd }: EventData<'session.created'>,
  clean: TakeOutSecrets,
): void {
  if (title !== undefined) state.title = clean(title);
  const project = git?.root ?? cwd;
  if (project !== undefined) state.project = project;
  if (git?.branch !== undefined) state.branch = git.branch;
  if (git?.remote !== undefined) state.remote = git.remote;
}

function addUsed(
  state: TextsState,
  { inputTokens, outputTokens, totalCost, message }: EventData<'usage.reported'>,
): void {
  const corrected = message !== undefined && state.lastReport?.message === message ? state.lastReport : undefined;
  const used = inputTokens + outputTokens;
  state.used = (state.used ?? 0) - (corrected?.used ?? 0) + used;
  if (totalCost !== undefined) state.cost = (state.cost ?? 0) - (corrected?.cost ?? 0) + totalCost;
  if (message !== undefined) state.lastReport = { message, used, cost: totalCost ?? corrected?.cost };
}

function addMessage(state: TextsState, rows: readonly TextRow[]): void {
  state.rows.push(...rows);
  const prompt = rows.find(({ role, kind }) => role === 'user' && kind === 'text');
  if (prompt !== undefined) takePrompt(state, prompt.text);
  for (const row of rows) takeLast(state, row);
}

function takeLast(state: TextsState, { role, kind, text, message, replaces }: TextRow): void {
  if (kind !== 'text' || (role !== 'user' && role !== 'assistant')) return;
  if (replaces && (message === undefined || message !== state.last?.message)) return;
  const excerpt = excerptOf([{ type: 'text', text }]);
  if (excerpt !== '') state.last = { by: replaces ? state.last!.by : role, text: excerpt, message };
}

function takePrompt(state: TextsState, text: string): void {
  state.firstPrompt ??= excerptOf([{ type: 'text', text }]) || undefined;
}

function addMessageToShape(shape: ShapeState, data: EventData<'message.added'>): void {
  addToShape(shape, knownTokens(data.tokens, data.parts).count, isPrompt(data) ? 'prompt' : undefined);
}

function addResultToShape(shape: ShapeState, { status, tokens, result }: EventData<'tool.finished'>): void {
  const hasFailed = status === 'error' || status === 'timeout';
  addToShape(shape, textTokens(tokens, result.llmContent).count, hasFailed ? 'failure' : undefined);
}

function messageRows(event: OllmEventOf<'message.added' | 'message.replaced'>, clean: TakeOutSecrets): TextRow[] {
  const { message, parts } = event.data;
  const said = keptText(parts.map(saidIn).filter(Boolean).join('\n'), clean);
  const thought = keptText(parts.map(thoughtIn).filter(Boolean).join('\n'), clean);
  const place = { ...placeOf(event), message };
  const rows: TextRow[] = [];
  if (event.type === 'message.replaced') {
    // Role and kind are those of the message that it takes the place of: the index has them.
    rows.push({ ...place, role: 'assistant', kind: 'text', ...said, replaces: true });
  } else if (said.text !== '') {
    const { role, synthetic } = event.data;
    rows.push({ ...place, role, kind: role === 'system' || synthetic ? 'injected' : 'text', ...said });
  }
  if (thought.text !== '') rows.push({ ...place, role: 'assistant', kind: 'reasoning', ...thought });
  return rows;
}

export function keptText(text: string, clean: TakeOutSecrets): Pick<TextRow, 'text' | 'isCut'> {
  return {
    text: bothEnds(text, MAX_TEXT_CHARACTERS, clean),
    ...(text.length > MAX_TEXT_CHARACTERS ? { isCut: true } : {}),
  };
}

function saidIn(part: Part): string {
  return part.type === 'text' ? part.text : part.type === 'file' ? part.name : '';
}

function thoughtIn(part: Part): string {
  return part.type === 'reasoning' ? (part.text ?? '') : '';
}

function addCall(state: TextsState, event: OllmEventOf<'tool.requested'>, clean: TakeOutSecrets): void {
  const { callId, name, args, message } = event.data;
  const called = keptText(`${name}\n${valueText(args, 0)}`.trimEnd(), clean);
  const { text } = called;
  state.rows.push({ ...placeOf(event), message, role: 'tool', kind: 'call', ...called, tool: name });
  const about = text.slice(name.length, name.length + MAX_ABOUT_CHARACTERS).toWellFormed();
  state.calls.push({ callId, tool: name, about: about.replace(/\s+/gu, ' ').trim() });
  if (state.calls.length > MAX_OPEN_CALLS) state.calls.shift();
}

function addOutput(state: TextsState, event: OllmEventOf<'tool.finished'>, { outputs, clean }: TextsOptions): void {
  const { callId, result, encoding, status, blob } = event.data;
  const call = state.calls.findLast((each) => each.callId === callId);
  state.calls = state.calls.filter((each) => each !== call);
  const text = encoding === 'base64' ? (result.returnDisplay ?? '') : result.llmContent;
  if (!outputs || text === '') return;
  const hasFailed = status === 'error' || status === 'timeout';
  state.rows.push({
    ...placeOf(event),
    message: undefined,
    role: 'tool',
    kind: 'output',
    ...keptText(text, clean),
    tool: call?.tool,
    about: [call?.about ?? '', hasFailed ? 'failed' : ''].filter(Boolean).join(' '),
    blob: encoding === 'base64' ? undefined : blob,
  });
}

/** Texts as they are: in JSON, the letter of an escaped line end would be a part of the next word. */
function valueText(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return value.map((item) => valueText(item, depth + 1)).join('\n');
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${valueText(item, depth + 1)}`)
    .join('\n');
}

function placeOf(event: OllmEventOf<(typeof READS)[number]>): Pick<TextRow, 'seq' | 'key' | 'at'> {
  const { origin } = event.data as { readonly origin?: { readonly record?: string } };
  return { seq: event.seq, key: origin?.record, at: Date.parse(timeOf(event) ?? '') };
}
