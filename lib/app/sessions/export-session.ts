// `ollm export ID` and `/export`: one session as text. Reads the journal twice, piece by piece: once for what stands at
// the head, once for the rest; so a session of any length can be exported while others write to it.
import { OllmError } from '../../errors/index.ts';
import { decodeEvent } from '../../events/decode.ts';
import { gather } from '../../exporters/gather.ts';
import type { ExportHead } from '../../exporters/head.ts';
import type { ExportItem } from '../../exporters/item.ts';
import { type Redact, redactedItems, redactedValue } from '../../exporters/redacted.ts';
import type { EventsOf, SessionDocument } from '../../exporters/session-document.ts';
import { type Survey, surveyFold } from '../../exporters/survey.ts';
import type { JournalReader, Outcome, StoredEvent } from '../../journal/types.ts';
import { replayInSlices } from '../../projections/replay.ts';
import type { App } from '../app.ts';
import { openForReading } from './open-for-reading.ts';
import { resolveId } from './resolve-id.ts';

/** Markdown and HTML for people; `json` is the document of the session, `jsonl` its lines as they are. */
export type ExportFormat = 'md' | 'html' | 'json' | 'jsonl';
export const EXPORT_FORMATS: readonly ExportFormat[] = ['md', 'html', 'json', 'jsonl'];

/** What of a session is exported, and how. */
export interface ExportRequest {
  readonly format: ExportFormat;
  /** seq of the first and the last event. `json` is the state after the last, whatever the first is. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Take secrets out of every text. */
  readonly redact?: boolean | undefined;
  /** For those who are done with a chunk before they pull the next one: all chunks then lie in the same memory. */
  readonly transient?: boolean | undefined;
}

/** An export under way. */
export interface SessionExport {
  readonly id: string;
  /** To be pulled once, to its end or to `return`: that closes the journal. */
  readonly chunks: Generator<Uint8Array, void, void>;
  /** Places of the journal that could not be read, as the first reading found them. */
  readonly damaged: number;
  /** Whether it says in plain text what the store keeps encrypted. */
  readonly inTheClear: boolean;
}

/** What whoever gets a file of one that is `inTheClear` is told. */
export const IN_THE_CLEAR = 'The session is encrypted; this file is not.';

type Chunks = Iterable<string | Uint8Array>;

/**
 * A session as text, in pieces of UTF-8: memory does not grow with the journal.
 *
 * @example
 * const { chunks } = await exportSession(app, '@last', { format: 'md' });
 * for (const chunk of chunks) process.stdout.write(chunk);
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_NOT_A_FILE
 */
export async function exportSession(app: App, reference: string, request: ExportRequest): Promise<SessionExport> {
  const id = await resolveId(app, reference);
  const redact = request.redact ? textRedactor(await app.redactor({ onRequest: true })) : undefined;
  const reader = openForReading(app, id);
  try {
    const { states, counts } = await replayInSlices(reader, { survey: surveyFold });
    const { survey } = states;
    const { damaged } = counts;
    requireSome(id, request, survey);
    const head = redacted(
      { sessionId: id, survey, damaged, range: rangeOf(request, survey), redacted: request.redact },
      redact,
    );
    const chunks = await exporterFor(request, reader, head, redact);
    const isAsStored = request.format === 'jsonl' && !request.redact;
    const inTheClear = !isAsStored && reader.first()?.data.encryption !== undefined;
    return { id, damaged, inTheClear, chunks: closingAfter(gather(chunks, request), reader) };
  } catch (error) {
    reader.close();
    throw error;
  }
}

async function exporterFor(
  request: ExportRequest,
  reader: JournalReader,
  head: ExportHead,
  redact: Redact | undefined,
): Promise<Chunks> {
  const outcomes = () => withinRange(reader.outcomes({ transient: true }), request);
  const items = () => (redact ? redactedItems(itemsOf(outcomes()), redact) : itemsOf(outcomes()));
  switch (request.format) {
    case 'md':
      return (await import('../../exporters/markdown.ts')).exportMarkdown(items(), head);
    case 'html':
      return (await import('../../exporters/html.ts')).exportHtml(items(), head);
    case 'jsonl': {
      const { exportJsonl, exportRedactedJsonl } = await import('../../exporters/jsonl.ts');
      return redact ? exportRedactedJsonl(eventsOf(outcomes()), redact) : exportJsonl(eventsOf(outcomes()));
    }
    case 'json': {
      const { exportJson } = await import('../../exporters/json.ts');
      return exportJson(await documentAt(reader, request.to), redact);
    }
  }
}

async function documentAt(reader: JournalReader, to: number | undefined): Promise<SessionDocument> {
  const { outlineFold } = await import('../../projections/outline.ts');
  const { sessionDocument } = await import('../../exporters/session-document.ts');
  const at = to === undefined ? undefined : { seq: to };
  const { states, counts } = await replayInSlices(reader, { outline: outlineFold }, { at });
  const events: EventsOf = (isWanted) => wantedEvents(reader.outcomes({ transient: true }), isWanted);
  return sessionDocument(states.outline, events, { damaged: counts.damaged, unknownEvents: counts.unknown });
}

function* wantedEvents(outcomes: Iterable<Outcome>, isWanted: (seq: number) => boolean) {
  for (const outcome of outcomes) {
    if (outcome.kind !== 'event' || !isWanted(outcome.event.seq)) continue;
    const decoded = decodeEvent(outcome.event);
    if (decoded.kind === 'known') yield decoded.event;
  }
}

/** @throws OllmError SEQ_NOT_FOUND, USAGE: an export of nothing looks like a session in which nothing happened */
function requireSome(
  id: string,
  { from = 0, to = Number.POSITIVE_INFINITY }: ExportRequest,
  { lastSeq }: Survey,
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

function rangeOf({ from, to }: ExportRequest, { lastSeq }: Survey): ExportHead['range'] {
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 0, to: Math.min(to ?? lastSeq, lastSeq) };
}

function redacted(head: ExportHead, redact: Redact | undefined): ExportHead {
  return redact ? redactedValue(head, redact) : head;
}

function* withinRange(outcomes: Iterable<Outcome>, { from = 0, to = Number.POSITIVE_INFINITY }: ExportRequest) {
  let reached = from === 0;
  for (const outcome of outcomes) {
    if (outcome.kind === 'event') {
      if (outcome.event.seq > to) return;
      reached ||= outcome.event.seq >= from;
    }
    if (reached) yield outcome;
  }
}

function* itemsOf(outcomes: Iterable<Outcome>): Generator<ExportItem, void, void> {
  for (const outcome of outcomes) {
    if (outcome.kind === 'damage') {
      yield outcome;
      continue;
    }
    const decoded = decodeEvent(outcome.event);
    if (decoded.kind === 'known') yield { kind: 'event', event: decoded.event };
    else yield { kind: 'unknown', envelope: decoded.event };
  }
}

function* eventsOf(outcomes: Iterable<Outcome>): Generator<StoredEvent, void, void> {
  for (const outcome of outcomes) if (outcome.kind === 'event') yield outcome.event;
}

function* closingAfter(chunks: Iterable<Uint8Array>, reader: JournalReader): Generator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } finally {
    reader.close();
  }
}

function textRedactor(redact: Awaited<ReturnType<App['redactor']>>): Redact {
  return (text) => redact(text).text;
}
