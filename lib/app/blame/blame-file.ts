// `ollm blame`: which conversation wrote each line of a file, from the stored sessions of every program and from git,
// after the fact. Nothing is written into the repository, and nothing had to be set up before.
import { basename, relative, resolve } from 'node:path';
import { formatAddress } from '../../agents/address.ts';
import { linesOf } from '../../blame/call-changes.ts';
import type { BlamedLine } from '../../blame/git-lines.ts';
import {
  type BlameClass,
  type BlameReason,
  matchLines,
  matchMoved,
  type WrittenChange,
  weightOf,
} from '../../blame/match-lines.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { hasWords } from '../../catalog/prepared-text.ts';
import type { CopyOf } from '../../catalog/repeated-hits.ts';
import { type CallingSession, sessionsWithCalls } from '../../catalog/sessions-with-calls.ts';
import { isOllmError, OllmError, systemErrorCode } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import { readFile } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { gitState } from '../git-state.ts';
import { hiddenSessions } from '../list/foreign-notes.ts';
import { handedCopies } from '../list/handover-copies.ts';
import { mayBeImport } from '../list/may-be-import.ts';
import { findConversation } from '../sessions/find/find-session.ts';
import { syncSessions, unusableCatalog } from '../sessions/import/sync-sessions.ts';
import { type BlamedCall, type BlamedFile, changesInSession } from './changes-in-session.ts';
import { gitBlame } from './git-blame.ts';
import { parentPrompt } from './parent-prompt.ts';

export interface BlameRequest {
  /** From the current directory on. */
  readonly file: string;
  /** First and last line, from 1. Default: all. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The file as it was in this revision. */
  readonly rev?: string | undefined;
  readonly agent?: string | undefined;
  /** Directory of the sessions that count, absolute. Default: the root of the repository. */
  readonly project?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each session that is read. */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

export interface LineBlame {
  readonly line: number;
  readonly text: string;
  readonly class: BlameClass;
  /** Why it is not certain. */
  readonly why?: BlameReason | undefined;
  readonly commit?: string | undefined;
  /** The call that wrote it. */
  readonly call?: BlamedCall | undefined;
  /** Calls with the same line that lost, each with the reason. */
  readonly others: readonly { readonly call: BlamedCall; readonly lost: string }[];
}

export interface FileBlame {
  /** Absolute. */
  readonly path: string;
  /** The root of its repository. */
  readonly root: string | undefined;
  readonly lines: readonly LineBlame[];
  /** Sessions that were read. */
  readonly sessions: number;
  /** Sentences on sessions and times that were left out. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 8 * 1024 * 1024;
const SYNC_MS = 1_000;

/**
 * @example
 * const { lines } = await blameFile(app, { file: 'src/limit.ts', from: 40, to: 44 });
 * @throws OllmError FILE_NOT_FOUND, USAGE (no such revision or line), IO_FAILED (the catalogue cannot be read)
 */
export async function blameFile(app: App, request: BlameRequest): Promise<FileBlame> {
  const { signal, rev, from = 1, to } = request;
  const path = realPathOf(app, resolve(app.cwd, request.file));
  const root = gitState(app.fileSystem, resolve(path, '..'))?.root;
  const notes: string[] = [];
  const lines = await linesOfFile(app, { path, root, rev, signal, notes });
  if (from > Math.max(lines.length, 1)) {
    throw new OllmError('USAGE', `${request.file} has ${lines.length} lines: there is no line ${from}.`, {
      hint: 'Name a line that is there.',
    });
  }
  const names = new Set([relative(root ?? app.paths.project, path), ...lines.map(({ name }) => name)]);
  names.delete('');
  const { project = root ?? app.paths.project } = request;
  const sessions = await sessionsNaming(app, { ...request, project, names, notes });
  const file = { path, names };
  const changes: WrittenChange<BlamedCall>[] = [];
  let done = 0;
  for (const session of sessions) {
    if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    request.onProgress?.({ done, total: sessions.length });
    done += 1;
    changes.push(...(await changesOf(app, session, { file, signal, notes })));
  }
  const copies = handedCopies(app);
  const found = matchLines(lines, withoutCopies(changes, copies));
  const unknown = lines.filter(
    ({ line }, at) => found[at]!.class === 'unknown' && line >= from && line <= (to ?? line),
  );
  const moved = await changesOfOtherFiles(app, unknown, { ...request, project, notes });
  const verdicts = matchMoved(lines, found, withoutCopies(moved, copies));
  const shown = lines.flatMap((line, at): LineBlame[] => {
    if (line.line < from || line.line > (to ?? lines.length)) return [];
    const { class: kind, why, change, others } = verdicts[at]!;
    const lost = others.map(({ change: { call }, lost: reason }) => ({ call, lost: reason }));
    const facts = { line: line.line, text: line.text, class: kind, why, commit: line.commit };
    return [{ ...facts, call: change?.call, others: lost }];
  });
  return { path, root, lines: shown, sessions: sessions.length, notes };
}

/** @throws OllmError FILE_NOT_FOUND */
function realPathOf({ fileSystem }: App, path: string): string {
  try {
    const real = fileSystem.realPath(path);
    if (fileSystem.stat(real)?.kind === 'file') return real;
    throw new OllmError('FILE_NOT_FOUND', `${path} is not a file.`, { hint: 'Name a file.' });
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw new OllmError('FILE_NOT_FOUND', `There is no file ${path}.`, { cause, hint: 'Name a file.' });
  }
}

interface LinesRequest {
  readonly path: string;
  readonly root: string | undefined;
  readonly rev: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly notes: string[];
}

async function linesOfFile(app: App, { path, root, rev, signal, notes }: LinesRequest): Promise<readonly BlamedLine[]> {
  const blamed = root === undefined ? undefined : await gitBlame(app, { path, root, rev, signal });
  if (blamed?.kind === 'done') return blamed.lines;
  const reason = blamed?.reason ?? 'the file is in no repository';
  if (rev !== undefined) throw new OllmError('USAGE', `git cannot be asked for ${rev}: ${reason}.`);
  notes.push(`git was not asked (${reason}): sessions of any time count.`);
  let bytes: Uint8Array;
  try {
    bytes = readFile(app.fileSystem, path, { maxBytes: MAX_BYTES });
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw new OllmError('IO_FAILED', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  return linesOf(new TextDecoder().decode(bytes)).map((text, index) => ({
    ...{ line: index + 1, text, name: '' },
    ...{ commit: undefined, authoredMs: undefined, committedMs: undefined },
  }));
}

interface NamingRequest extends BlameRequest {
  readonly project: string;
  readonly names: ReadonlySet<string>;
  readonly notes: string[];
}

/** Originals first, so that a copy of a call is not taken for it. */
async function sessionsNaming(
  app: App,
  { project, names, agent, signal, notes }: NamingRequest,
): Promise<readonly CallingSession[]> {
  const remote = gitState(app.fileSystem, project)?.remote;
  const synced = await syncSessions(app, { signal, budgetMs: SYNC_MS, ownOnly: true });
  if (synced.kind === 'done' && synced.report.left > 0) {
    notes.push(`${synced.report.left} sessions have changed and are not indexed yet: run "ollm sync".`);
  }
  const hidden = hiddenSessions(app);
  const phrases = new Set([...names].map((name) => basename(name)));
  const found = new Map<string, CallingSession>();
  for (const phrase of phrases) {
    if (!hasWords(phrase)) notes.push(`The name ${phrase} has no word that the index knows: no session is looked at.`);
    const outcome = await app.catalog.ask((database) =>
      sessionsWithCalls(database, { phrase, agent, project, remote }),
    );
    if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
    for (const session of outcome.kind === 'done' ? outcome.value : []) {
      const address = formatAddress(session);
      if (!hidden.has(address)) found.set(address, session);
    }
  }
  const rank = ({ agent: name, id, isFork }: CallingSession) =>
    name === OWN_AGENT && mayBeImport(id) ? 2 : isFork ? 1 : 0;
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/** Lines whose words are looked for in the calls of all files. */
const MOST_PROBES = 12;
const MOST_MOVED_SESSIONS = 16;

/** Changes of any file, in sessions in which a call has one of the longest of these lines. */
async function changesOfOtherFiles(
  app: App,
  lines: readonly BlamedLine[],
  { project, agent, signal, notes }: Omit<NamingRequest, 'names' | 'file'>,
): Promise<readonly WrittenChange<BlamedCall>[]> {
  const telling = lines.map(({ text }) => text.trim()).filter((text) => weightOf(text) === 2 && hasWords(text));
  const probes = [...new Set(telling)].toSorted((a, b) => b.length - a.length).slice(0, MOST_PROBES);
  const remote = gitState(app.fileSystem, project)?.remote;
  const hidden = hiddenSessions(app);
  const sessions = new Map<string, CallingSession>();
  for (const phrase of probes) {
    const outcome = await app.catalog.ask((database) =>
      sessionsWithCalls(database, { phrase, agent, project, remote }),
    );
    for (const session of outcome.kind === 'done' ? outcome.value : []) {
      const address = formatAddress(session);
      if (sessions.size < MOST_MOVED_SESSIONS && !hidden.has(address)) sessions.set(address, session);
    }
  }
  const changes: WrittenChange<BlamedCall>[] = [];
  for (const session of sessions.values()) changes.push(...(await changesOf(app, session, { signal, notes })));
  return changes;
}

/** A session that cannot be read costs only itself. */
async function changesOf(
  app: App,
  { agent, id, parent, isFork, isGone }: CallingSession,
  { file, signal, notes }: { readonly file?: BlamedFile | undefined } & Pick<NamingRequest, 'signal' | 'notes'>,
): Promise<readonly WrittenChange<BlamedCall>[]> {
  const session = formatAddress({ agent, id });
  try {
    const { read } = await findConversation(app, session);
    const { changes, begunBy } = await read(async (reader) => {
      const created = (await reader.first())?.data as Partial<EventData<'session.created'>> | undefined;
      const own = created?.subagentOf?.sessionId;
      const found = await changesInSession(reader, { session, file, signal });
      return { changes: found, begunBy: own ?? (isFork ? undefined : parent) };
    });
    if (begunBy === undefined || changes.length === 0) return changes;
    const above = await parentPrompt(app, { agent, id, parent: begunBy }, { signal });
    if (above === undefined) return changes;
    return changes.map((change) => ({ ...change, call: { ...change.call, parent: above } }));
  } catch (error) {
    if (!isOllmError(error) || error.code === 'INTERRUPTED') throw error;
    notes.push(isGone ? `${session} has vanished: its calls are not known.` : `${session}: ${error.message}`);
    return [];
  }
}

/**
 * A call that several sessions have, as forks and imports do, is that of the first of them. A session that was handed
 * over has the calls of its source under other ids.
 */
function withoutCopies(
  changes: readonly WrittenChange<BlamedCall>[],
  copies: ReadonlyMap<string, CopyOf>,
): readonly WrittenChange<BlamedCall>[] {
  const writers = new Set(changes.map(({ session }) => session));
  const owners = new Map<string, string>();
  return changes.filter(({ session, atMs = 0, call }) => {
    const copy = copies.get(session);
    if (copy !== undefined && atMs <= copy.untilMs && writers.has(copy.from)) return false;
    const key = `${call.callId} ${call.at ?? ''}`;
    const owner = owners.get(key) ?? session;
    owners.set(key, owner);
    return owner === session;
  });
}
