// `ollm export ID` and `/export`: one session as text. Reads the conversation twice, piece by piece: once for its head,
// once for the rest; so a session of any length can be exported while others write to it.
import { checkArguments } from '../../../errors/arguments.ts';
import { OllmError } from '../../../errors/index.ts';
import { decodeEvent } from '../../../events/decode.ts';
import { gather } from '../../../exporters/gather.ts';
import type { ExportHead } from '../../../exporters/head.ts';
import { type ExportSurvey, surveyFold, withFigures } from '../../../exporters/head-fold.ts';
import type { ExportItem } from '../../../exporters/item.ts';
import { type Losses, lossCounter } from '../../../exporters/losses.ts';
import { type RedactExport, redactedItems, redactedValue } from '../../../exporters/redacted.ts';
import type { Batches, EventReader, JournalReader, Outcome, SessionEvent } from '../../../journal/types.ts';
import { replayWithCutOff, withCutOff } from '../../../projections/cut-off.ts';
import { replay } from '../../../projections/replay.ts';
import { summaryFold } from '../../../projections/summary.ts';
import type { App } from '../../app.ts';
import { archivedIn, findConversation, findSession, type ReadingOptions } from '../../find/find-session.ts';
import { isJournal } from '../../find/open-for-reading.ts';
import { seqsOf } from './message-key.ts';

/**
 * Markdown and HTML for people; `json` is the document of the session, `jsonl` its lines as they are. For other
 * programs: `otel` is spans of OpenTelemetry, `atif` a trajectory, `asf` a session of the Agent Session Format.
 */
export type ExportFormat = 'md' | 'html' | 'json' | 'jsonl' | 'otel' | 'atif' | 'asf';
/** The end of a file name that says the format. */
export const EXPORT_ENDINGS = {
  md: '.md',
  html: '.html',
  otel: '.otel.jsonl',
  atif: '.atif.json',
  asf: '.asf.jsonl',
  json: '.json',
  jsonl: '.jsonl',
} as const satisfies Readonly<Record<ExportFormat, string>>;
const EXPORT_FORMATS = Object.keys(EXPORT_ENDINGS) as readonly ExportFormat[];

/** Undefined where the end of the name is that of no format. */
export function formatOfName(file: string): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => file.toLowerCase().endsWith(EXPORT_ENDINGS[format]));
}

/** What of a session is exported, and how. */
export interface ExportRequest extends ReadingOptions {
  readonly format: ExportFormat;
  /** seq of the first and the last event. `json` is the state after the last, for any first event. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Take secrets out of every text. */
  readonly redact?: boolean | undefined;
  /** Adds a map, costs and changed files above the conversation; `html` only. */
  readonly withOverview?: boolean | undefined;
  /** Whether `otel` includes texts, arguments and results. Default: no. */
  readonly contents?: boolean | undefined;
  /** The caller is done with a chunk before it pulls the next one: all chunks then lie in the same memory. */
  readonly transient?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An export under way. */
export interface SessionExport {
  readonly id: string;
  /** To be pulled once, to its end or to `return`: that closes a session that was opened for it. */
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
  /** Places of the journal that could not be read, as the first reading found them. */
  readonly damaged: number;
  /** Whether it contains plain text that the store keeps encrypted. */
  readonly inTheClear: boolean;
  /** Content that the form cannot carry, such as `2 images`. Complete after the last chunk. */
  readonly losses: () => readonly string[];
}

/** The sentence for the user that gets a file of one that is `inTheClear`. */
export const IN_THE_CLEAR = 'The session is encrypted; this file is not.';

/** In groups, such as the pieces of one message: only a group waits. */
type Chunks = Parameters<typeof gather>[0];

/**
 * A session as text, in pieces of UTF-8: memory does not grow with the journal.
 *
 * @example
 * const { chunks } = await exportSession(app, '@last', { format: 'md' });
 * for await (const chunk of chunks) process.stdout.write(chunk);
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_NOT_A_FILE
 */
export async function exportSession(app: App, reference: string, request: ExportRequest): Promise<SessionExport> {
  const table = { app: 'App', reference: 'anything', request: { format: 'text' } } as const;
  checkArguments('exportSession', table, [app, reference, request]);
  // Lines as they are stored are those of a journal.
  const isAsStored = request.format === 'jsonl' && !request.redact;
  const { open, key } =
    isAsStored && archivedIn(reference) === undefined
      ? await findSession(app, reference)
      : await findConversation(app, reference, { imported: request.imported, archived: true });
  const redact = request.redact ? textRedactor(await app.redactor({ onRequest: true })) : undefined;
  const reader = await open();
  try {
    const message = key === undefined ? undefined : await seqsOf(reader, key, request.signal);
    const { from = message?.from, to = message?.to } = request;
    const { chunks, ...exported } = await exportConversation(reader, { ...request, from, to }, redact);
    return { ...exported, chunks: closingAfter(chunks, reader) };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/**
 * Exports any conversation. `redact` takes secrets out of a text; the caller closes the reader.
 *
 * @throws OllmError SEQ_NOT_FOUND, USAGE: also for `jsonl` of a conversation that has no lines of a journal
 */
export async function exportConversation(
  reader: EventReader,
  request: Omit<ExportRequest, 'redact'>,
  redact?: RedactExport,
): Promise<SessionExport> {
  const { id } = reader;
  const folds = { survey: surveyFold, summary: summaryFold };
  const { states, counts } = await replay(reader, folds, { signal: request.signal });
  const survey = withFigures(states.survey, states.summary);
  const { damaged } = counts;
  requireSome(id, request, survey);
  const head = redacted(
    { sessionId: id, survey, damaged, range: rangeOf(request, survey), redacted: redact !== undefined },
    redact,
  );
  const losses = lossCounter();
  const chunks = await exporterFor(request, reader, { head, losses }, redact);
  const isAsStored = request.format === 'jsonl' && redact === undefined;
  const inTheClear = !isAsStored && (await reader.first())?.data.encryption !== undefined;
  return { id, damaged, inTheClear, chunks: gather(chunks, request), losses: losses.list };
}

/** The events of an export in their order, and what could not be read. */
export function exportItems(
  reader: EventReader,
  request: Pick<ExportRequest, 'format' | 'from' | 'to' | 'signal'>,
  redact: RedactExport | undefined,
): AsyncGenerator<readonly ExportItem[], void, void> {
  const items = itemsOf(withCutOff(withinRange(reader.outcomes({ signal: request.signal }), request)));
  return redact ? redactedItems(items, redact) : items;
}

async function exporterFor(
  request: ExportRequest,
  reader: EventReader,
  { head, losses }: { readonly head: ExportHead; readonly losses: Losses },
  redact: RedactExport | undefined,
): Promise<Chunks> {
  const shown = () => withCutOff(withinRange(reader.outcomes({ signal: request.signal }), request));
  const items = () => exportItems(reader, request, redact);
  switch (request.format) {
    case 'md':
      return (await import('../../../exporters/markdown.ts')).exportMarkdown(items(), head);
    case 'html': {
      const { exportHtml } = await import('../../../exporters/html.ts');
      if (!request.withOverview) return exportHtml(items(), head);
      const { overviewOf } = await import('../../../exporters/overview.ts');
      return exportHtml(items(), head, await overviewOf(items()));
    }
    case 'jsonl': {
      const { exportJsonl, exportRedactedJsonl } = await import('../../../exporters/jsonl.ts');
      if (redact) return exportRedactedJsonl(eventsOf(shown()), redact);
      const journal = requireJournal(reader);
      return exportJsonl(eventsOf(withinRange(journal.outcomes({ signal: request.signal }), request)));
    }
    case 'otel': {
      const { exportOtel } = await import('../../../exporters/otel/otel.ts');
      return exportOtel(items(), head, { contents: request.contents, losses });
    }
    case 'atif':
      return (await import('../../../exporters/atif.ts')).exportAtif(items(), head, losses);
    case 'asf':
      return (await import('../../../exporters/asf.ts')).exportAsf(items(), head, losses);
    case 'json': {
      const { to, signal } = request;
      const { exportJson } = await import('../../../exporters/json.ts');
      const { sessionFold, sessionJson } = await import('../../../projections/session.ts');
      const at = to === undefined ? undefined : { seq: to };
      const { states, counts } = await replayWithCutOff(reader, { session: sessionFold }, { at, signal });
      const session = sessionJson(states.session, { damaged: counts.damaged, unknownEvents: counts.unknown });
      return [exportJson(session, redact)];
    }
  }
}

/** @throws OllmError SEQ_NOT_FOUND, USAGE: an export of nothing looks like a session in which nothing happened */
function requireSome(
  id: string,
  { from = 0, to = Number.POSITIVE_INFINITY }: ExportRequest,
  { lastSeq }: ExportSurvey,
): void {
  if (from > to) {
    throw new OllmError('USAGE', `There is no event from ${from} to ${to}.`, { hint: 'Name the earlier one first.' });
  }
  if (from > 0 && from > lastSeq) {
    throw new OllmError('SEQ_NOT_FOUND', `Session ${id} has no event ${from}: its last one is ${lastSeq}.`, {
      hint: `"ollm tail ${id}" shows what there is.`,
      data: { id, from, lastSeq },
    });
  }
}

function rangeOf({ from, to }: ExportRequest, { lastSeq }: ExportSurvey): ExportHead['range'] {
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 0, to: Math.min(to ?? lastSeq, lastSeq) };
}

function redacted(head: ExportHead, redact: RedactExport | undefined): ExportHead {
  return redact ? redactedValue(head, redact) : head;
}

async function* withinRange<Event extends SessionEvent>(
  outcomes: Batches<Event>,
  { from = 0, to = Number.POSITIVE_INFINITY }: ExportRequest,
): AsyncGenerator<readonly Outcome<Event>[], void, void> {
  let isReached = from === 0;
  for await (const batch of outcomes) {
    const isPast = (outcome: Outcome<Event>) => outcome.kind === 'event' && outcome.event.seq > to;
    const end = batch.findIndex(isPast);
    const wanted = (end < 0 ? batch : batch.slice(0, end)).filter((outcome) => {
      isReached ||= outcome.kind === 'event' && outcome.event.seq >= from;
      return isReached;
    });
    if (wanted.length > 0) yield wanted;
    if (end >= 0) return;
  }
}

async function* itemsOf(outcomes: Batches<SessionEvent>): AsyncGenerator<readonly ExportItem[], void, void> {
  for await (const batch of outcomes) yield batch.map(itemOf);
}

function itemOf(outcome: Outcome<SessionEvent>): ExportItem {
  if (outcome.kind === 'damage') return outcome;
  const decoded = decodeEvent(outcome.event);
  return decoded.kind === 'known'
    ? { kind: 'event', event: decoded.event }
    : { kind: 'unknown', envelope: decoded.event };
}

async function* eventsOf<Event extends SessionEvent>(
  outcomes: Batches<Event>,
): AsyncGenerator<readonly Event[], void, void> {
  for await (const batch of outcomes) yield batch.flatMap((one) => (one.kind === 'event' ? [one.event] : []));
}

/** The lines of a journal are what `jsonl` is. @throws OllmError USAGE */
function requireJournal(reader: EventReader): JournalReader {
  if (isJournal(reader)) return reader;
  throw new OllmError(
    'USAGE',
    `Session ${reader.id} has no checksums of its own, which JSON lines are exported with.`,
    {
      hint: 'Import it first, or export it as md, html or json.',
      data: { id: reader.id },
    },
  );
}

/** The chunks; the reader is closed after the last one, or at `return`. */
export async function* closingAfter(
  chunks: AsyncIterable<Uint8Array>,
  reader: EventReader,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } finally {
    reader.close();
  }
}

function textRedactor(redact: Awaited<ReturnType<App['redactor']>>): RedactExport {
  return (text) => redact(text).text;
}
