// What the head of an export says: title, times, models, counts. A fold like any projection, run over the whole
// journal before the export begins, since a title may come late and an undo marks what lies before it.
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import { type Branches, moveTo, noBranches } from '../projections/branches.ts';
import { laterOf } from '../projections/heading.ts';
import { continuedBy, type MessagePieces, noPieces } from '../projections/message-pieces.ts';
import type { Envelope, Fold } from '../projections/projection.ts';
import { addUsage, noneSpent, type Spending } from '../projections/spending.ts';

export interface ExportSurvey extends Spending {
  created: EventData<'session.created'> | undefined;
  title: string | undefined;
  startedAt: string | undefined;
  lastActivityAt: string | undefined;
  /** Provider and model, in the order they came, as far as they are named. */
  models: { readonly provider: string; readonly model: string }[];
  lastSeq: number;
  turns: number;
  messages: number;
  toolCalls: number;
  compactions: number;
  branches: Branches;
  /** Further pieces of a message are not messages. */
  readonly pieces: MessagePieces;
  /** Messages have the times at which another program recorded them. */
  hasOriginalTimes: boolean;
}

const COUNTED: Readonly<Record<string, 'turns' | 'toolCalls' | 'compactions'>> = {
  'turn.started': 'turns',
  'tool.requested': 'toolCalls',
  'compaction.completed': 'compactions',
};

const READS = [
  'session.created',
  'session.titled',
  'model.changed',
  'message.added',
  'usage.reported',
  'branch.moved',
] as const;

export const surveyFold: Fold<ExportSurvey, (typeof READS)[number]> = {
  name: 'survey',
  version: 1,
  reads: READS,
  initial: () => ({
    created: undefined,
    title: undefined,
    startedAt: undefined,
    lastActivityAt: undefined,
    models: [],
    lastSeq: -1,
    turns: 0,
    messages: 0,
    toolCalls: 0,
    compactions: 0,
    spent: noneSpent(),
    branches: noBranches(),
    pieces: noPieces(),
    hasOriginalTimes: false,
  }),
  see: countEnvelope,
  apply: takeFacts,
};

function countEnvelope(survey: ExportSurvey, envelope: Envelope): ExportSurvey {
  survey.lastSeq = Math.max(survey.lastSeq, envelope.seq);
  // An import was stored at another time than its session took place.
  if (survey.created?.origin === undefined) {
    survey.startedAt ??= envelope.ts || undefined;
    if (!survey.hasOriginalTimes) survey.lastActivityAt = envelope.ts || undefined;
  }
  const counter = Object.hasOwn(COUNTED, envelope.type) ? COUNTED[envelope.type] : undefined;
  if (counter) survey[counter] += 1;
  return survey;
}

function takeFacts(survey: ExportSurvey, event: OllmEventOf<(typeof READS)[number]>): ExportSurvey {
  if (event.type === 'session.created') {
    survey.created = event.data;
    survey.title = event.data.title;
    survey.startedAt = timeOf(event);
    if (survey.startedAt === undefined) survey.lastActivityAt = undefined;
    addModel(survey, event.data);
  } else if (event.type === 'session.titled') {
    survey.title = event.data.title;
  } else if (event.type === 'model.changed') {
    addModel(survey, event.data);
  } else if (event.type === 'message.added') {
    addMessage(survey, event);
  } else if (event.type === 'usage.reported') {
    addUsage(survey, event.data);
  } else if (event.type === 'branch.moved') {
    moveTo(survey.branches, event.seq, event.data.head);
  }
  return survey;
}

function addMessage(survey: ExportSurvey, event: OllmEventOf<'message.added'>): void {
  const { at, origin } = event.data;
  if (continuedBy(survey.pieces, event, survey.branches) === undefined) survey.messages += 1;
  if ((at ?? origin) !== undefined && !survey.hasOriginalTimes) {
    survey.hasOriginalTimes = true;
    survey.lastActivityAt = survey.startedAt;
  }
  if (survey.hasOriginalTimes) survey.lastActivityAt = laterOf(survey.lastActivityAt ?? '', event) || undefined;
}

function addModel(survey: ExportSurvey, { provider, model }: { provider: string; model: string }): void {
  // Another program may name its model only with its first answer.
  if (model === '') return;
  if (survey.models.some((known) => known.provider === provider && known.model === model)) return;
  survey.models.push({ provider, model });
}
