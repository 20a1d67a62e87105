// The changes of files by the calls of a session, as one difference for each file: from before the session to now where
// its journal keeps the replaced content, else as the arguments of the calls say. Each added line has its call.
import { resolve } from 'node:path';
import { changesOfCall, linesOf } from '../../../blame/call-changes.ts';
import { type CallEdit, editsOfCall } from '../../../blame/call-edits.ts';
import { matchLines, type WrittenChange } from '../../../blame/match-lines.ts';
import { decodeEvent } from '../../../events/decode.ts';
import type { EventData, OllmEventOf } from '../../../events/index.ts';
import { eventsOf } from '../../../journal/reading/outcomes.ts';
import type { EventReader } from '../../../journal/types.ts';
import { relativeInside } from '../../../platform/files/inside.ts';
import { addEvent, type ConversationCall, emptyConversation, takeSettled } from '../../../projections/conversation.ts';
import { isPrompt } from '../../../projections/message-pieces.ts';
import { unifiedDiff } from '../../../tools/builtin/unified-diff.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../../find/find-session.ts';
import { type PlannedFile, planRevert } from '../change/revert-files.ts';
import { hashOfPlan } from '../change/revert-shown.ts';

/** A call that changed files. */
interface CallOfChanges {
  /** seq of its request. */
  readonly seq: number;
  readonly tool: string;
  /** RFC 3339. */
  readonly at: string | undefined;
  /** The prompt before it, its first 200 characters. */
  readonly prompt: { readonly seq: number; readonly text: string } | undefined;
  readonly decision: Pick<EventData<'tool.decided'>, 'decision' | 'by' | 'rule'> | undefined;
}

interface FileOfChanges {
  /** Absolute where that is known. */
  readonly path: string;
  /** From the directory of the session on. */
  readonly shown: string;
  /** A unified diff; empty where nothing of it is known, or nothing is left. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
  /** `disk`: from before the session to the file as it is now. `calls`: as the arguments of the calls say. */
  readonly from: 'disk' | 'calls';
  /** For each added line of the diff, in their order, seq of the call that wrote it; −1 where none did. */
  readonly authors: readonly number[];
  /** seq of the calls that changed it. */
  readonly calls: readonly number[];
  /** The effect of putting it back; absent for sessions of other programs. `hash` names exactly that. */
  readonly revert?: (Pick<PlannedFile, 'effect' | 'reason'> & { readonly hash: string }) | undefined;
}

export interface SessionChanges {
  readonly sessionId: string;
  readonly files: readonly FileOfChanges[];
  readonly calls: readonly CallOfChanges[];
  /** Calls that may have changed files too: programs that ran. */
  readonly opaque: number;
}

/** A text in a file, and the text that a call put in its place. */
type NamedEdit = CallEdit & { readonly path: string };

interface FoundCall extends CallOfChanges {
  readonly atMs: number | undefined;
  readonly texts: readonly NamedEdit[];
  readonly written: ReturnType<typeof changesOfCall>;
}

/** Files that were put back, as they were after the event `since`. */
interface Revert {
  readonly seq: number;
  readonly since: number;
  readonly paths: ReadonlySet<string>;
}

const MOST_FILES = 500;
const NO_CALL = -1;
const PROMPT_CHARACTERS = 200;

/**
 * @example
 * const { files } = await sessionChanges(app, '@last');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function sessionChanges(
  app: App,
  reference: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SessionChanges> {
  const found = await findConversation(app, reference);
  const { cwd, calls, reverts } = await found.read((reader) => callsIn(reader, signal));
  const whole = (path: string) => (cwd === undefined ? path : resolve(cwd, path));
  const shownOf = (path: string) => (cwd === undefined ? path : (relativeInside(cwd, path) ?? path));
  const plan =
    found.kind === 'own' ? await planRevert(app, { id: found.id, store: app.store }, { diffs: 'made' }) : undefined;
  const planned = new Map(plan?.files.map((file) => [file.path, file]));
  const isLeft = (path: string, { seq }: FoundCall) =>
    !reverts.some((revert) => revert.since < seq && seq < revert.seq && revert.paths.has(path));
  const named = calls.flatMap((call) =>
    call.texts.flatMap((text) => (isLeft(whole(text.path), call) ? whole(text.path) : [])),
  );
  const paths = [...new Set([...planned.keys(), ...named])].slice(0, MOST_FILES);
  const files: FileOfChanges[] = [];
  for (const path of paths) {
    const ofFile = calls.filter((call) => isLeft(path, call) && call.texts.some((text) => whole(text.path) === path));
    const onDisk = planned.get(path);
    const shown = shownOf(path);
    const isExact = onDisk !== undefined && (onDisk.diff !== '' || onDisk.effect === 'same');
    const { diff, addedLines, removedLines } = isExact ? onDisk : await asCallsSay(shown, path, ofFile, whole);
    const changes = ofFile.flatMap((call) => writtenTo(path, call, whole));
    files.push({
      ...{ path, shown, diff, addedLines, removedLines },
      from: isExact ? 'disk' : 'calls',
      authors: authorsOf(diff, changes),
      calls: ofFile.map(({ seq }) => seq),
      revert: onDisk && { effect: onDisk.effect, reason: onDisk.reason, hash: hashOfPlan(onDisk) },
    });
  }
  const wanted = new Set(files.flatMap((file) => file.calls));
  return {
    sessionId: found.id,
    files,
    calls: calls
      .filter(({ seq }) => wanted.has(seq))
      .map(({ seq, tool, at, prompt, decision }) => ({ seq, tool, at, prompt, decision })),
    opaque: plan?.opaque.length ?? 0,
  };
}

async function callsIn(
  reader: EventReader,
  signal: AbortSignal | undefined,
): Promise<{
  readonly cwd: string | undefined;
  readonly calls: readonly FoundCall[];
  readonly reverts: readonly Revert[];
}> {
  const conversation = emptyConversation();
  const calls: FoundCall[] = [];
  const reverts: Revert[] = [];
  let cwd: string | undefined;
  let prompt: CallOfChanges['prompt'];
  const take = (isLast = false): void => {
    for (const item of takeSettled(conversation, { all: isLast })) {
      if (item.kind === 'message' && isPrompt(item.data)) prompt = { seq: item.seq, text: textOf(item.data) };
      if (item.kind === 'call') {
        const call = foundCall(item, prompt);
        if (call !== undefined) calls.push(call);
      }
    }
  };
  for await (const batch of reader.outcomes({ signal })) {
    for (const event of eventsOf(batch)) {
      const decoded = decodeEvent(event);
      if (decoded.kind !== 'known') continue;
      if (decoded.event.type === 'session.created') cwd = decoded.event.data.cwd;
      if (decoded.event.type === 'files.reverted') reverts.push(revertOf(decoded.event));
      addEvent(conversation, decoded.event);
    }
    take();
  }
  take(true);
  return { cwd, calls, reverts };
}

function revertOf({ seq, data: { since, files } }: OllmEventOf<'files.reverted'>): Revert {
  const done = files.filter(({ outcome }) => outcome !== undefined && outcome !== 'refused');
  return { seq, since, paths: new Set(done.map(({ path }) => path)) };
}

function textOf({ parts }: EventData<'message.added'>): string {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return text.slice(0, PROMPT_CHARACTERS).toWellFormed();
}

/** Undefined where it changed no file, or did not end well. */
function foundCall(
  { seq, ts, request, decision, end }: ConversationCall,
  prompt: CallOfChanges['prompt'],
): FoundCall | undefined {
  if (request === undefined || end?.status !== 'ok') return undefined;
  const { name, args } = request;
  const texts = editsOfCall(name, args).filter((edit): edit is NamedEdit => edit.path !== undefined);
  if (texts.length === 0) return undefined;
  return {
    ...{ seq, tool: name, at: ts, atMs: ts === undefined ? undefined : Date.parse(ts), prompt, texts },
    decision: decision && { decision: decision.decision, by: decision.by, rule: decision.rule },
    written: changesOfCall(name, args),
  };
}

/** The texts that calls replaced in one file, joined where a later call changed what an earlier one wrote. */
async function asCallsSay(
  shown: string,
  path: string,
  calls: readonly FoundCall[],
  whole: (path: string) => string,
): Promise<Pick<FileOfChanges, 'diff' | 'addedLines' | 'removedLines'>> {
  let places: { before: string; after: string }[] = [];
  let isWhole = false;
  for (const text of calls.flatMap(({ texts }) => texts).filter((each) => whole(each.path) === path)) {
    const { before, after } = text;
    if (text.isWhole) {
      places = [{ before: isWhole ? (places[0]?.before ?? '') : '', after }];
      isWhole = true;
      continue;
    }
    const known = before === '' ? undefined : places.find((place) => place.after.includes(before));
    if (known === undefined) places.push({ before, after });
    else known.after = known.after.replace(before, () => after);
  }
  let [diff, addedLines, removedLines] = ['', 0, 0];
  for (const { before, after } of places) {
    const made = await unifiedDiff(shown, isWhole && before === '' ? undefined : ended(before), ended(after));
    diff += diff === '' ? made.text : made.text.replace(/^(?:---|\+\+\+) .*\n/gm, '');
    addedLines += made.addedLines;
    removedLines += made.removedLines;
  }
  return { diff, addedLines, removedLines };
}

/** A piece of a file has no last line without an end. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function writtenTo(
  path: string,
  { seq, atMs, written }: FoundCall,
  whole: (path: string) => string,
): WrittenChange<number>[] {
  return written
    .filter((change) => whole(change.path) === path)
    .map(({ hunks }) => ({ call: seq, session: '', atMs, hunks }));
}

/** The calls of the added lines of a diff, by the runs of lines that they share. */
function authorsOf(diff: string, changes: readonly WrittenChange<number>[]): number[] {
  const lines = linesOf(diff).filter((line) => /^[+ ]/.test(line) && !line.startsWith('+++ '));
  const texts = lines.map((line, index) => ({
    ...{ line: index + 1, text: line.slice(1), name: '', commit: undefined },
    ...{ authoredMs: undefined, committedMs: undefined },
  }));
  const verdicts = matchLines(texts, changes);
  return lines.flatMap((line, at) => (line.startsWith('+') ? [verdicts[at]?.change?.call ?? NO_CALL] : []));
}
