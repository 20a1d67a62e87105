// Reads a session for the catalogue: its texts, ready for the tables and the index, part by part, and at the end the
// facts about it. Touches no database, and its results are plain data, so that another thread can do it.
import { isOllmError } from '../errors/index.ts';
import type { JsonObject } from '../journal/types.ts';
import { createReplayer, type Replayed, type Replayer, trimStates } from '../projections/replayer.ts';
import { rowOfSummary, type SummaryState, summaryFold } from '../projections/summary.ts';
import type { TakeOutSecrets } from './both-ends.ts';
import { preparedChanges } from './changes.ts';
import type { StoredMark } from './copies.ts';
import { packed } from './packed-text.ts';
import { preparedText } from './prepared-text.ts';
import { type ChangesFold, changesFold } from './session-changes.ts';
import { countsFold } from './session-counts.ts';
import { bytesOfShape } from './session-shape.ts';
import { keptText, type TextRow, type TextsState, textsFold } from './session-texts.ts';
import type {
  OpenTextSource,
  PreparedRow,
  SessionEnd,
  SessionPart,
  SessionReading,
  TextReadingOptions,
  TextSource,
} from './text-source.ts';

type Folds = {
  readonly summary: typeof summaryFold;
  readonly texts: ReturnType<typeof textsFold>;
  readonly counts: ReturnType<typeof countsFold>;
  readonly changes: ChangesFold;
};

interface Progress {
  readonly checkpoint: JsonObject | undefined;
  readonly replayed: Replayed<Folds>;
}

/** Tokens beyond which the summary keeps only sums. An undo that goes further back reads the session again. */
const KEPT_TOKENS = 4096;

type Readable = Pick<TextSource, 'path' | 'parent' | 'open'>;

/** `saved`: the progress of an earlier reading, unpacked. @throws the errors of the source */
export async function readSession(
  source: Readable,
  options: TextReadingOptions,
  saved?: string | undefined,
): Promise<SessionReading> {
  const progress = saved === undefined ? undefined : (JSON.parse(saved) as Progress);
  const open = await source.open(progress?.checkpoint);
  try {
    const position = progress?.replayed.position;
    const continued = position !== undefined && (await open.holds(position));
    const folds: Folds = {
      ...{ summary: summaryFold, texts: textsFold(options) },
      ...{ counts: countsFold(options), changes: changesFold(options) },
    };
    const replayer = createReplayer(folds, { from: continued ? progress?.replayed : undefined });
    return {
      continued,
      parts: () => partsOf(open, replayer, options),
      end: () => endOf(source, open, replayer),
      close: () => open.reader.close(),
    };
  } catch (error) {
    open.reader.close();
    throw error;
  }
}

async function* partsOf(
  open: OpenTextSource,
  replayer: Replayer<Folds>,
  { signal, clean }: TextReadingOptions,
): AsyncGenerator<SessionPart> {
  const { states } = replayer;
  for await (const batch of open.reader.outcomes({ after: replayer.position, signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') replayer.seeDamage();
      else replayer.see(outcome.event);
    }
    const texts = await withWholeOutputs(states.texts.rows.splice(0), open, clean);
    const calls = new Map(texts.flatMap(({ kind, seq, text }) => (kind === 'call' ? [[seq, text]] : [])));
    const changes = preparedChanges(states.changes.rows.splice(0), calls);
    const counts = states.counts.rows.splice(0);
    if (texts.length + changes.length + counts.length > 0) yield { rows: texts.map(prepared), changes, counts };
  }
}

function prepared({ text, ...row }: TextRow): PreparedRow {
  return { ...row, text: packed(text), size: text.length, words: Buffer.from(preparedText(text)) };
}

/** A model got both ends of a long output; a search finds all of it. */
async function withWholeOutputs(
  rows: readonly TextRow[],
  open: OpenTextSource,
  clean: TakeOutSecrets,
): Promise<readonly TextRow[]> {
  if (open.readBlob === undefined || rows.every(({ blob }) => blob === undefined)) return rows;
  const whole: TextRow[] = [];
  for (const row of rows) {
    const bytes = row.blob === undefined ? undefined : await readWhole(open, row.blob);
    whole.push(bytes === undefined || bytes.includes(0) ? row : { ...row, ...keptText(DECODER.decode(bytes), clean) });
  }
  return whole;
}

const DECODER = new TextDecoder();

/** A damaged attachment costs only the middle of its output. */
async function readWhole(open: OpenTextSource, sha256: string): Promise<Uint8Array | undefined> {
  try {
    return await open.readBlob?.(sha256);
  } catch (error) {
    if (isOllmError(error)) return undefined;
    throw error;
  }
}

function endOf({ path, parent }: Readable, open: OpenTextSource, replayer: Replayer<Folds>): SessionEnd {
  const { states, lastSeq, position, format, counts } = replayer;
  const isIncomplete = states.summary.timeline.incomplete === true;
  trimStates({ summary: summaryFold }, { summary: states.summary }, KEPT_TOKENS);
  const replayed = { states: { ...states, summary: withoutText(states.summary) }, lastSeq, position, format, counts };
  // A session without events has nothing to continue, and its checkpoint could hold a title that was not redacted.
  const checkpoint = position === undefined ? undefined : open.checkpoint();
  return {
    row: sessionRow({ path, parent }, { ...states, ...open.copied(), programId: open.programId() }),
    names: namesOf(states.texts),
    project: states.texts.project,
    remote: states.texts.remote,
    lastSeq,
    progress: packed(JSON.stringify({ checkpoint, replayed } satisfies Progress)),
    damaged: counts.damaged,
    isIncomplete,
    insides: open.insides?.() ?? [],
    content: open.content?.(),
  };
}

function sessionRow(
  { path, parent }: Pick<TextSource, 'path' | 'parent'>,
  {
    summary,
    texts,
    forkedFrom,
    marks = [],
    programId,
  }: {
    readonly summary: SummaryState;
    readonly texts: TextsState;
    readonly forkedFrom?: string | undefined;
    readonly marks?: readonly StoredMark[] | undefined;
    readonly programId: string | undefined;
  },
) {
  const row = rowOfSummary(summary);
  const { branches } = summary.timeline;
  return [
    path,
    texts.title ?? texts.firstPrompt ?? null,
    texts.project ?? null,
    row.model || null,
    Date.parse(row.startTime) || null,
    Date.parse(row.lastActivity) || null,
    row.messageCount,
    texts.used ?? null,
    texts.cost ?? null,
    texts.branch ?? null,
    row.parent?.sessionId ?? parent ?? null,
    forkedFrom ?? null,
    marks.length === 0 ? null : JSON.stringify(marks),
    programId ?? null,
    bytesOfShape(texts.shape),
    texts.last?.text ?? null,
    texts.last?.by ?? null,
    branches.jumps.length === 0 ? null : JSON.stringify(branches),
  ] as const;
}

/** As the columns of `names`. A title that repeats how the first prompt begins says no more than that. */
function namesOf({ title, firstPrompt, project, branch }: TextsState): readonly string[] {
  const isPrompt = title === undefined || (firstPrompt ?? '').startsWith(title.replace(/(?:…|\.{3})$/u, '').trimEnd());
  const [named, prompt] = isPrompt ? [undefined, title ?? firstPrompt] : [title, undefined];
  return [named, prompt, project, branch].map((each) => preparedText(each ?? ''));
}

/** A secret may be in the text of a summary, cut so that it no longer looks like one. */
function withoutText(summary: SummaryState): SummaryState {
  const isText = (key: string) => ['title', 'excerpt', 'firstPrompt', 'lastMessage'].includes(key);
  return JSON.parse(JSON.stringify(summary, (key, value) => (isText(key) ? undefined : value))) as SummaryState;
}
