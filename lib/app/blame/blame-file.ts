// `ollm blame`: which conversation wrote each line of a file, from the stored sessions of every program and from git,
// after the fact. Nothing is written into the repository, and nothing had to be set up before.
import { basename, relative, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { formatAddress } from '../../agents/address.ts';
import { linesOf } from '../../blame/call-changes.ts';
import { writesWholeFile } from '../../blame/call-edits.ts';
import type { BlamedLine } from '../../blame/git-lines.ts';
import {
  type BlameClass,
  type BlameReason,
  matchLines,
  matchMoved,
  type WrittenChange,
  weightOf,
} from '../../blame/match-lines.ts';
import { partsOf } from '../../catalog/address-parts.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { changesOfFiles, changesWithLines, promptsOf, type StoredChange } from '../../catalog/changes.ts';
import type { CopyOf } from '../../catalog/copies.ts';
import { hasWords } from '../../catalog/prepared-text.ts';
import type { CallDecision, ChangingCall } from '../../catalog/session-changes.ts';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { readFile } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { requireAgent } from '../find/require-agent.ts';
import { missingAfter, syncSessions, unusableCatalog } from '../import/sync-sessions.ts';
import { hiddenSessions } from '../list/foreign-notes.ts';
import { allCopies } from '../list/handover-copies.ts';
import { mayBeImport } from '../list/may-be-import.ts';
import { gitState } from '../repository/git-state.ts';
import { reachOfProject } from '../repository/project-reach.ts';
import { gitBlame } from './git-blame.ts';
import { type ParentPrompt, parentPrompt } from './parent-prompt.ts';

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
}

/** A call that changed the file. */
interface FoundCall extends ChangingCall {
  /** `agent:id`. */
  readonly session: string;
  /** seq of its request. */
  readonly seq: number;
  /** The file, as the call named it. */
  readonly path: string;
  /** RFC 3339; undefined where the source has no time. */
  readonly at: string | undefined;
  readonly decision: CallDecision | undefined;
}

export interface BlamedCall extends Omit<FoundCall, 'promptSeq' | 'begunBy'> {
  /** The prompt before it, without what looks like a secret. */
  readonly prompt: string | undefined;
  /** The session that began it, where it is a subagent, with the prompt there. */
  readonly parent?: ParentPrompt | undefined;
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
  /** Sentences on sessions and times that were left out. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 8 * 1024 * 1024;
const SYNC_MS = 1_000;

/**
 * @example
 * const { lines } = await blameFile(app, { file: 'src/limit.ts', from: 40, to: 44 });
 * @throws OllmError FILE_NOT_FOUND, USAGE (no such revision, line or agent), IO_FAILED (the catalogue cannot be read)
 */
export async function blameFile(app: App, request: BlameRequest): Promise<FileBlame> {
  const { signal, rev, from = 1, to, agent } = request;
  if (agent !== undefined) requireAgent(agent);
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
  const { roots: projects, remote = gitState(app.fileSystem, project)?.remote } = reachOfProject(
    app.fileSystem,
    project,
  );
  const asked = { projects, agent, remote };
  const synced = await syncSessions(app, { signal, budgetMs: SYNC_MS, only: 'own' });
  notes.push(...missingAfter(synced));
  const changes = await knownChanges(app, (database) =>
    changesOfFiles(
      database,
      { names: [...names].map((name) => basename(name)), lines: lines.map(({ text }) => text) },
      asked,
    ),
  );
  const ofFile = changes.filter(({ file }) => isOfFile(file.whole, { path, names }));
  const copies = await allCopies(app);
  const found = matchLines(lines, withoutCopies(ofFile.map(writtenBy), copies));
  const probes = probesFor(lines, found).filter(({ line }) => line >= from && line <= (to ?? line));
  const moved = await knownChanges(app, (database) =>
    changesWithLines(
      database,
      probes.map(({ text }) => text),
      asked,
    ),
  );
  const verdicts = matchMoved(lines, found, withoutCopies(moved.map(writtenBy), copies));
  const shown = lines.flatMap((line, at) =>
    line.line < from || line.line > (to ?? lines.length) ? [] : [{ line, verdict: verdicts[at]! }],
  );
  const calls = new Set(
    shown.flatMap(({ verdict: { change, others } }) => [
      ...(change ? [change] : []),
      ...others.map((one) => one.change),
    ]),
  );
  const told = await toldCalls(
    app,
    [...calls].map(({ call }) => call),
    { signal },
  );
  return {
    ...{ path, root, notes },
    lines: shown.map(({ line: { line, text, commit }, verdict: { class: kind, why, change, others } }) => ({
      ...{ line, text, class: kind, why, commit, call: change && told.get(change.call) },
      others: others.map(({ change: { call }, lost }) => ({ call: told.get(call)!, lost })),
    })),
  };
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

/** Originals first, so that a copy of a call is not taken for it; without those of hidden sessions. */
async function knownChanges(
  app: App,
  query: (database: DatabaseSync) => readonly StoredChange[],
): Promise<readonly StoredChange[]> {
  const outcome = await app.catalog.ask(query);
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  if (outcome.kind === 'absent') return [];
  const hidden = hiddenSessions(app);
  const rank = ({ agent, id, isFork }: StoredChange) => (agent === OWN_AGENT && mayBeImport(id) ? 2 : isFork ? 1 : 0);
  return outcome.value
    .filter(({ agent, id }) => !hidden.has(formatAddress({ agent, id })))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Lines by whose words moved ones are found: the longest of each three that follow each other and are unknown. */
const MOST_PROBES = 24;

function probesFor(lines: readonly BlamedLine[], found: readonly { readonly class: BlameClass }[]): BlamedLine[] {
  const probes: BlamedLine[] = [];
  for (let start = 0; start < lines.length; start += 3) {
    const [longest] = lines
      .slice(start, start + 3)
      .filter(({ text }, step) => found[start + step]!.class === 'unknown' && weightOf(text) === 2 && hasWords(text))
      .toSorted((a, b) => b.text.length - a.text.length);
    if (longest !== undefined) probes.push(longest);
  }
  return probes.toSorted((a, b) => b.text.length - a.text.length).slice(0, MOST_PROBES);
}

/** The calls with their prompts, and with the prompt above for calls of subagents. */
async function toldCalls(
  app: App,
  calls: readonly FoundCall[],
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<ReadonlyMap<FoundCall, BlamedCall>> {
  const outcome = await app.catalog.ask((database) => promptsOf(database, calls));
  const prompts = outcome.kind === 'done' ? outcome.value : [];
  const above = new Map<string, ParentPrompt | undefined>();
  const told = new Map<FoundCall, BlamedCall>();
  for (const [index, found] of calls.entries()) {
    const { promptSeq: _, begunBy, ...call } = found;
    if (begunBy !== undefined && !above.has(call.session)) {
      const [agent, id] = partsOf(call.session);
      above.set(call.session, await parentPrompt(app, { agent, id, parent: begunBy }, { signal }));
    }
    told.set(found, { ...call, prompt: prompts[index], parent: above.get(call.session) });
  }
  return told;
}

function writtenBy(change: StoredChange): WrittenChange<FoundCall> {
  const { agent, id, seq, atMs, decision, file, isUnsure } = change;
  const { begunBy = change.isFork || agent === OWN_AGENT ? undefined : change.parent, ...rest } = change.call;
  const session = formatAddress({ agent, id });
  const at = atMs === undefined ? undefined : new Date(atMs).toISOString();
  return {
    ...{ session, atMs, hunks: file.hunks, isUnsure, isWholeFile: writesWholeFile(rest.tool) },
    call: { ...rest, ...{ session, seq, path: file.path, at, decision }, begunBy },
  };
}

/** In another clone the root is another one: the names from there on are compared. */
function isOfFile(
  whole: string,
  { path, names }: { readonly path: string; readonly names: ReadonlySet<string> },
): boolean {
  return whole === path || [...names].some((name) => whole === name || whole.endsWith(`/${name}`));
}

/** An id of a call that is as long as this was given once: a short one, such as `call_1`, is in many sessions. */
const UNIQUE_CHARACTERS = 16;

/**
 * A call that several sessions have, as forks and imports do, is that of the first of them: by its id and its time, or
 * by its id and its lines, where a format keeps another time. A session that was handed over has the calls of its
 * source under other ids.
 */
function withoutCopies(
  changes: readonly WrittenChange<FoundCall>[],
  copies: ReadonlyMap<string, CopyOf>,
): readonly WrittenChange<FoundCall>[] {
  const writers = new Set(changes.map(({ session }) => session));
  const owners = new Map<string, string>();
  return changes.filter(({ session, atMs = 0, hunks, call }) => {
    const copy = copies.get(session);
    if (copy !== undefined && atMs <= copy.untilMs && writers.has(copy.from)) return false;
    const { callId } = call;
    const lines = hunks.map((hunk) => hunk.map(({ text }) => text).join('\n')).join('\n\n');
    const keys = [`${callId} ${call.at ?? ''}`, ...(callId.length < UNIQUE_CHARACTERS ? [] : [`${callId}\n${lines}`])];
    const owner = keys.map((key) => owners.get(key)).find((known) => known !== undefined) ?? session;
    for (const key of keys) owners.set(key, owner);
    return owner === session;
  });
}
