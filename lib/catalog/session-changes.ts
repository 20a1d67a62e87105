// Projection: the lines that the calls of a session wrote into files, as far as their arguments say, with the prompt,
// the model and the decision. A row is made when a call is asked for, and settled when it ends: only changes of calls
// that ended well count. The owner takes the rows out after each batch.
import { posix } from 'node:path';
import { type ChangedHunk, changesOfCall } from '../blame/call-changes.ts';
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import { isPrompt } from '../projections/message-pieces.ts';
import type { Fold } from '../projections/projection.ts';
import type { TakeOutSecrets } from './both-ends.ts';
import { CHANGES_VERSION } from './changes-version.ts';

export interface CallDecision {
  readonly by: EventData<'tool.decided'>['by'];
  readonly rule?: string | undefined;
}

/** The facts of a call when it is asked for. */
export interface ChangingCall {
  readonly callId: string;
  readonly turn: number | undefined;
  readonly tool: string;
  readonly model: string | undefined;
  /** The event of the prompt before it. */
  readonly promptSeq: number | undefined;
  /** Id of the session of ollm that began this one by a call. */
  readonly begunBy?: string | undefined;
}

export interface CalledChange {
  /** As the call named it. */
  readonly path: string;
  /** Absolute and with `/`, where the session says in which directory it was. */
  readonly whole: string;
  /** Without secrets. */
  readonly hunks: readonly ChangedHunk[];
}

export type ChangeRow =
  | ({ readonly kind: 'asked' } & AskedChange)
  | {
      readonly kind: 'ended';
      /** The event of the request. */
      readonly seq: number;
      readonly isOk: boolean;
      readonly decision: CallDecision | undefined;
      /** The call as it ran, where the user changed the arguments. */
      readonly changed?: AskedChange | undefined;
    };

/** The changes that a call asks for. */
export interface AskedChange {
  /** The event of the request. */
  readonly seq: number;
  /** Milliseconds since 1970; 0 where it is not known. */
  readonly at: number;
  readonly call: ChangingCall;
  readonly files: readonly CalledChange[];
}

interface OpenCall extends Omit<AskedChange, 'files'> {
  readonly hasChanges: boolean;
  decision?: CallDecision | undefined;
  changed?: AskedChange | undefined;
}

interface ChangesState {
  rows: ChangeRow[];
  /** Calls without an end, the newest of them. */
  open: OpenCall[];
  cwd?: string | undefined;
  begunBy?: string | undefined;
  model?: string | undefined;
  promptSeq?: number | undefined;
}

const READS = [
  'session.created',
  'model.changed',
  'message.added',
  'tool.requested',
  'tool.decided',
  'tool.finished',
] as const;

const MAX_OPEN_CALLS = 64;

export type ChangesFold = Fold<ChangesState, (typeof READS)[number]>;

export function changesFold({ clean }: { readonly clean: TakeOutSecrets }): ChangesFold {
  return {
    name: 'changes',
    version: CHANGES_VERSION,
    reads: READS,
    initial: () => ({ rows: [], open: [] }),
    apply(state, event) {
      switch (event.type) {
        case 'session.created':
          state.cwd = event.data.cwd;
          state.begunBy = event.data.subagentOf?.sessionId;
          state.model = event.data.model || undefined;
          break;
        case 'model.changed':
          state.model = event.data.model;
          break;
        case 'message.added':
          takeMessage(state, event);
          break;
        case 'tool.requested':
          begin(state, event, clean);
          break;
        case 'tool.decided':
          decide(state, event.data, clean);
          break;
        case 'tool.finished':
          end(state, event.data);
          break;
      }
      return state;
    },
  };
}

function takeMessage(state: ChangesState, { seq, data }: OllmEventOf<'message.added'>): void {
  if (data.role === 'assistant') state.model = data.model ?? state.model;
  else if (isPrompt(data)) state.promptSeq = seq;
}

function begin(state: ChangesState, event: OllmEventOf<'tool.requested'>, clean: TakeOutSecrets): void {
  const { callId, name: tool, args } = event.data;
  const files = filesOf(state, { tool, args }, clean);
  const { seq, turn } = event;
  const at = Date.parse(timeOf(event) ?? '') || 0;
  const { model, promptSeq, begunBy } = state;
  const asked = { seq, at, call: { callId, turn, tool, model, promptSeq, begunBy } };
  state.open.push({ ...asked, hasChanges: files.length > 0 });
  if (state.open.length > MAX_OPEN_CALLS) state.open.shift();
  if (files.length > 0) state.rows.push({ kind: 'asked', ...asked, files });
}

function decide(
  state: ChangesState,
  { callId, by, rule, args }: EventData<'tool.decided'>,
  clean: TakeOutSecrets,
): void {
  const open = state.open.findLast(({ call }) => call.callId === callId);
  if (open === undefined) return;
  open.decision = { by, rule };
  if (args === undefined) return;
  const { seq, at, call } = open;
  open.changed = { seq, at, call, files: filesOf(state, { tool: call.tool, args }, clean) };
}

function end(state: ChangesState, { callId, status }: EventData<'tool.finished'>): void {
  const open = state.open.findLast(({ call }) => call.callId === callId);
  if (open === undefined) return;
  state.open = state.open.filter((each) => each !== open);
  const { seq, hasChanges, decision, changed } = open;
  if (hasChanges || changed !== undefined)
    state.rows.push({ kind: 'ended', seq, isOk: status === 'ok', decision, changed });
}

function filesOf(
  { cwd }: ChangesState,
  { tool, args }: { readonly tool: string; readonly args: unknown },
  clean: TakeOutSecrets,
): readonly CalledChange[] {
  const directory = workDirectoryOf(args) ?? cwd;
  return changesOfCall(tool, args).flatMap((change) => {
    if (change.hunks.length === 0) return [];
    const path = clean(change.path);
    return [{ path, whole: wholePath(path, directory), hunks: change.hunks.map((hunk) => cleaned(hunk, clean)) }];
  });
}

function workDirectoryOf(args: unknown): string | undefined {
  const { workdir } = args as { readonly workdir?: unknown };
  return typeof workdir === 'string' ? workdir : undefined;
}

function wholePath(path: string, directory: string | undefined): string {
  const written = path.replaceAll('\\', '/');
  const isAbsolute = /^(?:\/|[A-Za-z]:\/)/.test(written);
  return posix.normalize(
    isAbsolute || directory === undefined ? written : `${directory.replaceAll('\\', '/')}/${written}`,
  );
}

/** A secret may go over several lines: of a text that has one, only the lines that stayed are kept. */
function cleaned(hunk: ChangedHunk, clean: TakeOutSecrets): ChangedHunk {
  const text = hunk.map((line) => line.text).join('\n');
  const rest = clean(text);
  if (rest === text) return hunk;
  const stayed = new Set(rest.split('\n'));
  return hunk.map((line) => (stayed.has(line.text) ? line : { ...line, text: '' }));
}
