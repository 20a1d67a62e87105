// The head of an export: title, times, models, counts. A fold like any projection, run over the whole journal before
// the export begins, since a title may come late and an undo marks earlier events.
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import { type Branches, moveTo, noBranches } from '../projections/branches.ts';
import type { Envelope, Fold } from '../projections/projection.ts';
import { addUsage, noneSpent, type Spending } from '../projections/spending.ts';
import type { SummaryState } from '../projections/summary.ts';

/** With the figures that a list has too, so that both say the same. */
export interface ExportSurvey extends Survey {
  readonly lastActivityAt: string | undefined;
  readonly turns: number;
  readonly messages: number;
}

interface Survey extends Spending {
  created: EventData<'session.created'> | undefined;
  title: string | undefined;
  startedAt: string | undefined;
  /** Provider and model, in the order they came, as far as they are named. */
  models: { readonly provider: string; readonly model: string }[];
  lastSeq: number;
  toolCalls: number;
  compactions: number;
  branches: Branches;
}

const COUNTED: Readonly<Record<string, 'toolCalls' | 'compactions'>> = {
  'tool.requested': 'toolCalls',
  'compaction.completed': 'compactions',
};

const READS = ['session.created', 'session.titled', 'model.changed', 'usage.reported', 'branch.moved'] as const;

export const surveyFold: Fold<Survey, (typeof READS)[number]> = {
  name: 'survey',
  version: 1,
  reads: READS,
  initial: () => ({
    created: undefined,
    title: undefined,
    startedAt: undefined,
    models: [],
    lastSeq: -1,
    toolCalls: 0,
    compactions: 0,
    spent: noneSpent(),
    branches: noBranches(),
  }),
  see: countEnvelope,
  apply: takeFacts,
};

export function withFigures(survey: Survey, { lastActivity, turnCount, messageCount }: SummaryState): ExportSurvey {
  return { ...survey, lastActivityAt: lastActivity || undefined, turns: turnCount, messages: messageCount };
}

function countEnvelope(survey: Survey, envelope: Envelope): Survey {
  survey.lastSeq = Math.max(survey.lastSeq, envelope.seq);
  // The times of an import are not those of its session.
  if (survey.created?.origin === undefined) survey.startedAt ??= envelope.ts || undefined;
  const counter = Object.hasOwn(COUNTED, envelope.type) ? COUNTED[envelope.type] : undefined;
  if (counter) survey[counter] += 1;
  return survey;
}

function takeFacts(survey: Survey, event: OllmEventOf<(typeof READS)[number]>): Survey {
  if (event.type === 'session.created') {
    survey.created = event.data;
    survey.title = event.data.title;
    survey.startedAt = timeOf(event);
    addModel(survey, event.data);
  } else if (event.type === 'session.titled') {
    survey.title = event.data.title;
  } else if (event.type === 'model.changed') {
    addModel(survey, event.data);
  } else if (event.type === 'usage.reported') {
    addUsage(survey, event.data);
  } else if (event.type === 'branch.moved') {
    moveTo(survey.branches, event.seq, event.data.head);
  }
  return survey;
}

function addModel(survey: Survey, { provider, model }: { provider: string; model: string }): void {
  // Some programs name their model only with the first answer.
  if (model === '') return;
  if (survey.models.some((known) => known.provider === provider && known.model === model)) return;
  survey.models.push({ provider, model });
}
