// `ollm handover`: writes a conversation as a session of another program, which continues with it. The source is only
// read. The new file is read back before it gets its name.
import { hash } from 'node:crypto';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { formatAddress } from '../../agents/address.ts';
import type { Agent, CopyMark, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { openForeign } from '../../agents/open-foreign.ts';
import { readSmallSource } from '../../agents/open-source.ts';
import { loadAgent } from '../../agents/registry.ts';
import { formatTime } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { readConversation } from '../../handover/conversation.ts';
import { type CarriedConversation, INTRODUCTION, type Left } from '../../handover/item.ts';
import { placeNewFile, removeLeftovers } from '../../handover/new-file.ts';
import { type Changes, prepare, writtenTime } from '../../handover/prepared.ts';
import { differenceFrom } from '../../handover/read-back.ts';
import { uuidOf } from '../../handover/record-ids.ts';
import type { Target, WrittenItem, WrittenSession } from '../../handover/target.ts';
import { type HandoverName, loadTarget } from '../../handover/targets.ts';
import type { EventReader } from '../../journal/types.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { findConversation, type ReadingOptions } from '../find/find-session.ts';
import { type FoundConversation, requireWhole } from '../find/found.ts';
import { handoverNotes, noteHandover } from '../list/handover-ledger.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import type { Proof } from './prove.ts';

export interface HandoverRequest extends ReadingOptions {
  readonly to: HandoverName;
  /** Where the other program is to be started. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Start it where the source worked, if that is a directory here. */
  readonly inPlace?: boolean | undefined;
  /** `native`: as calls of the program; `text`: as texts that name them. */
  readonly calls?: 'native' | 'text' | undefined;
  /** Carry the messages that a compaction covers, in place of its summary. */
  readonly whole?: boolean | undefined;
  /** Secrets are not redacted. */
  readonly raw?: boolean | undefined;
  /** Write another session where this one was handed over before. */
  readonly again?: boolean | undefined;
  /** Nothing is written, and so nothing read back. */
  readonly dryRun?: boolean | undefined;
  /** Start the program on it where it reaches nothing, and compare its request to the model. */
  readonly prove?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Handover {
  /** Address of the new session. */
  readonly address: string;
  readonly from: string;
  /** The file of it. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly carried: { readonly texts: number; readonly calls: number; readonly pictures: number };
  readonly left: Left;
  readonly changes: Changes;
  /**
   * `there`: a file of an earlier handover has this name. It is not compared again. `document`: a text, which no reader
   * here reads back.
   */
  readonly check: 'equal' | 'there' | 'dry-run' | 'document';
  /** The request of the program, if it was proved. */
  readonly proof: Proof | undefined;
  /** Where the commands are to be typed. */
  readonly cwd: string;
  /** Where the source took place, if that is another directory. */
  readonly otherCwd: string | undefined;
  /** Each as its words. */
  readonly commands: readonly (readonly string[])[];
  readonly caution: string | undefined;
}

/** A crash is followed by few handovers before its leftover is removed. */
const SWEPT_NOTES = 64;

/**
 * @example
 * const { address, commands } = await handOver(app, 'claude:5f3c', { to: 'codex' });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, USAGE (nothing to carry, no such directory), IO_FAILED (the
 * program has no directory here, it cannot be written, or it reads back differently); and as `prove`
 */
export async function handOver(app: App, reference: string, request: HandoverRequest): Promise<Handover> {
  const { to, signal, whole, dryRun } = request;
  const target = await loadTarget(to);
  const found = await findConversation(app, reference, request);
  requireWhole(found, 'A session is handed over as a whole');
  const from = found.kind === 'own' ? found.id : formatAddress(found.source);
  const readBlob = found.kind === 'own' ? (sha256: string) => app.store.readBlob(sha256) : undefined;
  const conversation = await reading(app, found, (reader) => readConversation(reader, { whole, readBlob, signal }));
  if (conversation.items.length === 0) {
    throw new OllmError('USAGE', `${from} holds no message that could be carried.`, {
      hint: `"ollm show ${from}" says what there is.`,
    });
  }
  if (request.prove && to === 'cursor') {
    throw new OllmError('USAGE', 'There is nothing to prove of a document.', { hint: 'Leave out --prove.' });
  }
  const cwd = (request.inPlace ? realDirectory(app, conversation.cwd) : undefined) ?? directoryOf(app, request.cwd);
  const before = found.kind === 'own' ? undefined : await markOf(app, found.source);
  const { session, changes } = await written(app, { conversation, target, from, cwd, request, before });
  const place = await placeOf(app, to);
  const path = join(place, target.pathOf(session));
  const content = target.contentOf(session);
  const id = target.idOf?.(session.id) ?? session.id;
  const address = formatAddress({ agent: to, id: target.listedAs?.(session) ?? id });
  const sha256 = hash('sha256', content, 'hex');
  const carried = countsOf(session.items);
  const proving = async (): Promise<Proof | undefined> => {
    if (!request.prove || to === 'cursor') return undefined;
    const { prove } = await import('./prove.ts');
    return prove(app, { to, target, session, content, signal });
  };
  let proof: Proof | undefined;
  let there = app.fileSystem.stat(path) !== undefined;
  if (there && request.prove) requireAsWritten(app, path, sha256);
  if (there || dryRun) proof = await proving();
  if (!dryRun) sweep(app, path);
  if (!there && !dryRun) {
    // That directory is ours; the programs make theirs.
    if (isKeptHere(to)) app.fileSystem.makeDirectory(app.paths.home);
    await noteHandover(app, {
      ...{ at: new Date(app.clock.now()).toISOString(), from, generation: session.mark.generation },
      ...{ seq: session.mark.seq, to, address, path, sha256 },
      ...{ bytes: Buffer.byteLength(content), texts: carried.texts, calls: carried.calls },
    });
    const isNew = await placeNewFile(app.fileSystem, {
      ...{ place, path, content, token: app.ids.token(), uid: app.process.uid },
      async check(temporary) {
        if (!target.isDocument) await requireSame(app, { target, items: session.items, path, id }, temporary);
        proof = await proving();
      },
    });
    there = !isNew;
  }
  return {
    ...{ address, from, path, bytes: Buffer.byteLength(content) },
    ...{ sha256, carried },
    left: conversation.left,
    changes,
    check: there ? 'there' : dryRun ? 'dry-run' : target.isDocument ? 'document' : 'equal',
    proof,
    cwd,
    otherCwd: conversation.cwd === undefined || conversation.cwd === cwd ? undefined : conversation.cwd,
    commands: [...(target.takesIn === undefined ? [] : [target.takesIn(path)]), target.command(id, path)],
    caution: target.caution,
  };
}

/** @throws OllmError USAGE */
function requireAsWritten({ fileSystem }: App, path: string, sha256: string): void {
  if (hash('sha256', readFile(fileSystem, path), 'hex') === sha256) return;
  throw new OllmError('USAGE', `${path} was changed since it was handed over: there is nothing to prove.`, {
    hint: '--again writes another session, and proves that one.',
  });
}

/** Removes what crashes left where this file comes to, and where the last ones came to. */
function sweep(app: App, path: string): void {
  const last = handoverNotes(app)
    .slice(-SWEPT_NOTES)
    .map((note) => dirname(note.path));
  for (const directory of new Set([dirname(path), ...last])) removeLeftovers(app.fileSystem, directory);
}

/** As the program recorded it: secrets are taken out where they are counted. */
async function reading<Result>(
  app: App,
  found: FoundConversation,
  work: (reader: EventReader) => Promise<Result>,
): Promise<Result> {
  if (found.kind === 'own') return found.read(work);
  using reader = openForeign(await loadAgent(found.source.agent), found.source, foreignPorts(app).files);
  return await work(reader);
}

async function markOf(app: App, source: Source): Promise<CopyMark | undefined> {
  return readHead(await loadAgent(source.agent), source, foreignPorts(app).files).copyMark;
}

function directoryOf(app: App, named: string | undefined): string {
  const cwd = realDirectory(app, resolve(app.cwd, named ?? '.'));
  if (cwd !== undefined) return cwd;
  throw new OllmError('USAGE', `${named ?? app.cwd} is not a directory.`, {
    hint: 'Name with --cwd the directory in which the other program is to continue.',
  });
}

function realDirectory({ fileSystem }: App, path: string | undefined): string | undefined {
  const real = path === undefined || !isAbsolute(path) ? undefined : realPathOf(fileSystem, path);
  return real !== undefined && fileSystem.stat(real)?.kind === 'directory' ? real : undefined;
}

/** Whether it takes a file in by a command, or reads a document. */
function isKeptHere(to: HandoverName): to is 'opencode' | 'cursor' {
  return to === 'opencode' || to === 'cursor';
}

/** The program's own directory, or our own. */
async function placeOf(app: App, to: HandoverName): Promise<string> {
  if (isKeptHere(to)) return join(realPathOf(app.fileSystem, app.paths.home) ?? app.paths.home, 'handover');
  const [place] = (await loadAgent(to)).places(foreignPorts(app).surroundings);
  return place!;
}

async function written(
  app: App,
  given: {
    readonly conversation: CarriedConversation;
    readonly target: Target;
    readonly from: string;
    readonly cwd: string;
    readonly request: HandoverRequest;
    readonly before: CopyMark | undefined;
  },
): Promise<{ readonly session: WrittenSession; readonly changes: Changes }> {
  const { conversation, target, from, cwd, request, before } = given;
  const { generation, lastSeq, title, items } = conversation;
  const callsAsText = request.calls === 'text';
  const redactor = request.raw ? undefined : await app.redactor({ onRequest: true });
  const redact = redactor && ((text: string) => counted(redactor(text)));
  const startedAt = writtenTime(conversation.startedAt) ?? new Date(app.clock.now()).toISOString();
  const first = await introduction(conversation, from);
  const prepared = prepare([first, ...items], { target, from, callsAsText, redact, startedAt });
  const { to, whole = false, raw = false } = request;
  const seed = JSON.stringify([from, generation, lastSeq, to, cwd, callsAsText, whole, raw]);
  const id = uuidOf(request.again ? `${seed} ${app.ids.uuid()}` : seed, to === 'codex' ? 7 : 4);
  const place = await placeOf(app, to);
  const { files } = foreignPorts(app);
  const looking = { readSmall: (path: string) => readSmallSource(files, path, 1024 * 1024)?.toString() };
  return {
    session: {
      ...{ id, cwd, items: prepared.items, startedAt },
      title: title === undefined ? undefined : (redact?.(title.toWellFormed()).text ?? title.toWellFormed()),
      mark: { from, generation, seq: lastSeq, began: conversation.startedAt, until: prepared.items.at(-1)?.at, before },
      folder: target.folder(cwd, place, looking),
    },
    changes: prepared.changes,
  };
}

function counted({ text, found }: ReturnType<Awaited<ReturnType<App['redactor']>>>) {
  return { text, count: found.reduce((sum, { count }) => sum + count, 0) };
}

/** The text that comes before all others. */
async function introduction(
  { cwd, lastActivity }: CarriedConversation,
  from: string,
): Promise<CarriedConversation['items'][number]> {
  const [name = ''] = from.split(':');
  const title = from.includes(':') ? (await loadAgent(name)).title : 'ollm';
  const when = lastActivity === undefined ? '' : `, last active ${formatTime(lastActivity)}`;
  const where = cwd === undefined ? '' : ` It took place in ${cwd}.`;
  const text =
    `${INTRODUCTION}${title} (${from}${when}).${where} ` +
    `The calls in it used tools of ${title}, which may not be here. Files may have changed since.`;
  return { kind: 'message', role: 'user', pieces: [{ kind: 'text', text }] };
}

/** @throws OllmError IO_FAILED */
async function requireSame(
  app: App,
  expected: {
    readonly target: Target;
    readonly items: readonly WrittenItem[];
    readonly path: string;
    readonly id: string;
  },
  temporary: string,
): Promise<void> {
  const { target, items, path, id } = expected;
  const agent = await loadAgent(target.name);
  // How it is stored, the name says that it is to have.
  const reads: Agent = { ...agent, stored: (source) => agent.stored({ ...source, path }) };
  using reader = openForeign(reads, { agent: target.name, id, path: temporary }, foreignPorts(app).files);
  const read = await readConversation(reader);
  const difference = differenceFrom(items, read.items, target);
  if (difference === undefined) return;
  throw new OllmError('IO_FAILED', `What was written for ${agent.title} reads back differently: ${difference}.`, {
    hint: 'Nothing was left there. Try --calls text, and please report it.',
  });
}

function countsOf(items: readonly WrittenItem[]): Handover['carried'] {
  const carried = { texts: 0, calls: 0, pictures: 0 };
  for (const item of items) {
    if (item.kind === 'call') {
      carried.calls += 1;
      carried.pictures += item.pictures.length;
    } else for (const { kind } of item.pieces) carried[kind === 'text' ? 'texts' : 'pictures'] += 1;
  }
  return carried;
}
