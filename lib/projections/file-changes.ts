// Projection: what tools did to files and was not put back since, file by file, and which other calls may have changed
// some. For `ollm revert`. A change is noted when its call starts, since a program that dies may have made it.
import type { EventData, OllmEventOf } from '../events/index.ts';
import type { Fold } from './projection.ts';

type StartedChange = NonNullable<EventData<'tool.started'>['changes']>[number];

/** A change of one file by one call. */
export interface FileChange extends Omit<StartedChange, 'path'> {
  /** seq of the tool.started that announced it. */
  readonly seq: number;
  readonly turn?: number | undefined;
  readonly callId: string;
  /** Whether the call ended well; otherwise only the disk can tell whether the change was made. */
  isCertain: boolean;
}

/** A call whose changes the journal does not record. */
export interface OpaqueCall {
  readonly seq: number;
  readonly turn?: number | undefined;
  readonly tool: string;
  /** What a program was started with. */
  readonly command?: string | undefined;
}

/** Files that were about to be put back when the program ended. */
export interface BegunRevert {
  readonly since: number;
  readonly paths: readonly string[];
}

export interface FileChangesState {
  /** By path, in the order of the first change; of each, the oldest change first. */
  readonly files: Map<string, FileChange[]>;
  readonly opaque: OpaqueCall[];
  begun?: BegunRevert | undefined;
  /** By callId: calls that run, or the newest that did. */
  readonly names: Map<string, string>;
}

type Reads = 'tool.requested' | 'tool.started' | 'tool.finished' | 'files.reverted';

/** Tools of ollm itself that start no program and change no file. */
const HARMLESS: ReadonlySet<string> = new Set([
  'file_read',
  'list_files',
  'search_files',
  'history_read',
  'recall',
  'skill_read',
  'todo_write',
  'web_fetch',
  'web_search',
  'agent',
]);

export const fileChangesFold: Fold<FileChangesState, Reads> = {
  name: 'file-changes',
  version: 1,
  reads: ['tool.requested', 'tool.started', 'tool.finished', 'files.reverted'],
  initial: () => ({ files: new Map(), opaque: [], names: new Map() }),
  apply(state, event) {
    switch (event.type) {
      case 'tool.requested':
        state.names.set(event.data.callId, nameOf(event.data));
        return state;
      case 'tool.started':
        start(state, event);
        return state;
      case 'tool.finished':
        finish(state, event.data);
        return state;
      case 'files.reverted':
        revert(state, event.data);
        return state;
    }
  },
};

/** An agent that was given tools may have changed files, which its own session names. */
function nameOf({ name, args }: EventData<'tool.requested'>): string {
  return name === 'agent' && args.tools !== undefined ? 'agent with tools' : name;
}

function start({ files, opaque, names }: FileChangesState, { seq, turn, data }: OllmEventOf<'tool.started'>): void {
  const { callId, changes, command, argv, readsOnly } = data;
  const tool = names.get(callId) ?? 'a tool';
  if (changes === undefined) {
    if (readsOnly || HARMLESS.has(tool)) return;
    opaque.push({ seq, turn, tool, command: command ?? argv?.join(' ') });
    return;
  }
  for (const { path, ...change } of changes) {
    const list = files.get(path) ?? [];
    list.push({ ...change, seq, turn, callId, isCertain: false });
    files.set(path, list);
  }
}

function finish({ files }: FileChangesState, { callId, status }: EventData<'tool.finished'>): void {
  if (status !== 'ok') return;
  // The newest of this id: models use an id twice.
  for (const list of files.values()) {
    const last = list.at(-1);
    if (last?.callId === callId) last.isCertain = true;
  }
}

function revert(state: FileChangesState, { status, since, files }: EventData<'files.reverted'>): void {
  if (status === 'begun') {
    state.begun = { since, paths: files.map(({ path }) => path) };
    return;
  }
  state.begun = undefined;
  for (const { path, outcome } of files) {
    if (outcome === undefined || outcome === 'refused') continue;
    const left = (state.files.get(path) ?? []).filter(({ seq }) => seq <= since);
    if (left.length > 0) state.files.set(path, left);
    else state.files.delete(path);
  }
}
