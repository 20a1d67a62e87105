// The facts about a foreign session for a list, read from the two ends of its file: a bounded number of bytes for any
// length. Only the beginning of a packed file is unpacked. An incomplete head is still a head.
import { isOllmError, messageOf, OllmError } from '../errors/index.ts';
import { BackwardLines, stepAtOnce } from '../journal/reading/lines.ts';
import type { Part } from '../messages/index.ts';
import { idInAddress } from './address.ts';
import type { Agent, Head, HeadDraft, JsonObject, Source } from './agent.ts';
import { textOf } from './content.ts';
import { defined, nonEmpty, shortened } from './members.ts';
import { filesAround, openSource, type SourceFiles, type SourceHandle } from './open-source.ts';
import { openForHead } from './open-stored.ts';
import { type RecordStep, recordIn, recordsOfDocument, recordsOfLines } from './records.ts';
import { openDatabase } from './sqlite.ts';
import { Translator } from './translator.ts';

/** Bytes of each end that are looked at: a prompt may hold pictures. */
const MAX_END_BYTES = 1024 * 1024;
/** Bytes of the end that are enough once they contain the last use of the session: programs with titles repeat them. */
const ENOUGH_BYTES = 128 * 1024;
/** Bytes that are read at a time. */
const CHUNK_BYTES = 32 * 1024;
const PROMPT_CHARACTERS = 500;

/**
 * @example
 * readHead(claude, source, { fileSystem: nodeFileSystem, uid }).title;
 * @throws OllmError SESSION_NOT_FOUND, IO_FAILED
 */
export function readHead(agent: Agent, source: Source, files: SourceFiles): Head {
  return tryHead(agent, source, files, 'both ends');
}

/**
 * The facts that only the first records say: of another file, the end is not read.
 * @throws OllmError SESSION_NOT_FOUND, IO_FAILED
 */
export function readStart(
  agent: Agent,
  source: Source,
  files: SourceFiles,
): Pick<Head, 'forkedFrom' | 'copyMark' | 'printedId'> {
  return source.inside === undefined ? tryHead(agent, source, files, 'start') : {};
}

function tryHead(agent: Agent, source: Source, files: SourceFiles, part: 'both ends' | 'start'): Head {
  try {
    return headIn(agent, source, files, part);
  } catch (cause) {
    if (isOllmError(cause)) throw cause;
    const { path } = source;
    throw new OllmError('IO_FAILED', `${path} cannot be read: ${messageOf(cause)}.`, { data: { path }, cause });
  }
}

function headIn(agent: Agent, source: Source, files: SourceFiles, part: 'both ends' | 'start'): Head {
  const stored = agent.stored(source);
  if (source.inside !== undefined) return headOfInside(agent, source, files);
  if (stored.kind === 'rows') {
    using database = openDatabase(files, source.path, stored.columns);
    return headOf(source, stored.head(database, source));
  }
  if (stored.kind === 'files') {
    openSource(files, source.path).close();
    return headOf(source, stored.head(filesAround(files), source));
  }
  const draft: HeadDraft = {};
  const { handle, isCut } = openForHead(files, source, stored);
  try {
    // The end of a packed file would cost unpacking all of it: the file's time is that of the last write.
    if (isCut) draft.lastActivity = modifiedIn(handle);
    const isDocument = stored.kind === 'document';
    const records = isDocument ? recordsIn(recordsOfDocument(handle, stored)) : firstRecords(handle);
    // The records of a document are read once for both ends.
    const first = isDocument && part === 'both ends' ? [...records] : records;
    takeUntilDone(first, (record) => agent.headFromStart(record, draft));
    if (part === 'both ends') {
      const last = Array.isArray(first) ? first.toReversed() : lastRecords(handle, draft);
      takeUntilDone(last, (record) => agent.headFromEnd(record, draft));
    }
    draft.lastActivity ??= modifiedIn(handle);
  } finally {
    handle.close();
  }
  return headOf(source, draft);
}

interface SaidOfInside {
  readonly cwd?: string;
  readonly model?: string;
  readonly git?: { readonly branch?: string };
  readonly role?: string;
  readonly parts?: readonly Part[];
}

/** The head of a subagent inside of a file, whose records may be anywhere in that. */
function headOfInside(agent: Agent, source: Source, files: SourceFiles): Head {
  const draft: HeadDraft = {};
  const translator = new Translator(agent, source, 0);
  const handle = openSource(files, source.path);
  try {
    for (const step of recordsOfLines(handle, { from: 0, to: handle.stat().size })) {
      if (step.kind !== 'record') continue;
      for (const { type, ts, data } of translator.translate(step).events) {
        const { cwd, model, git, role, parts } = data as SaidOfInside;
        if (type === 'session.created') Object.assign(draft, defined({ cwd, startedAt: ts, branch: git?.branch }));
        if (type === 'message.added' && role === 'user') draft.firstPrompt ??= textOf(parts ?? []);
        draft.model = model ?? draft.model;
        draft.lastActivity = ts;
      }
    }
  } finally {
    handle.close();
  }
  return headOf(source, draft);
}

function modifiedIn(handle: SourceHandle): string {
  return new Date(handle.stat().modifiedMs).toISOString();
}

/** The discovery found these members where no record says them. */
function headOf({ id, startedAt, facts }: Source, { firstPrompt, ...draft }: HeadDraft): Head {
  const known = defined({ startedAt, cwd: nonEmpty(facts?.cwd), title: nonEmpty(facts?.title) });
  const prompt = firstPrompt === undefined ? {} : { firstPrompt: shortened(firstPrompt, PROMPT_CHARACTERS) };
  const forkedFrom = draft.forkedFrom && idInAddress(draft.forkedFrom);
  return { id, ...known, ...defined({ ...draft, forkedFrom }), ...prompt };
}

function takeUntilDone(records: Iterable<JsonObject>, take: (record: JsonObject) => boolean): void {
  for (const record of records) if (take(record)) return;
}

function* firstRecords(handle: SourceHandle): Generator<JsonObject> {
  const to = Math.min(handle.stat().size, MAX_END_BYTES);
  const limits = { from: 0, to, isGrowing: true, chunkBytes: CHUNK_BYTES };
  yield* recordsIn(recordsOfLines(handle, limits));
}

function* recordsIn(steps: Iterable<RecordStep>): Generator<JsonObject> {
  for (const step of steps) if (step.kind === 'record') yield step.record;
}

function* lastRecords(handle: SourceHandle, draft: HeadDraft): Generator<JsonObject> {
  const { size } = handle.stat();
  const lines = new BackwardLines(size, { maxLineBytes: MAX_END_BYTES, chunkBytes: CHUNK_BYTES });
  const isEnough = () => size - lines.offset > (draft.lastActivity === undefined ? MAX_END_BYTES : ENOUGH_BYTES);
  const next = () => stepAtOnce(lines, handle);
  for (let step = next(); step !== 'end' && !isEnough(); step = next()) {
    const record = step === 'line' ? recordIn(lines.buffer.subarray(lines.start, lines.stop)) : undefined;
    if (record !== undefined) yield record;
  }
}
