// The rows at the head of an export, the same for every format that a person reads.
import { countOf, formatCount, formatTime } from '../display/quantities.ts';
import type { ExportSurvey } from './head-fold.ts';

export interface ExportHead {
  readonly sessionId: string;
  readonly survey: ExportSurvey;
  /** Places of the journal that could not be read. */
  readonly damaged: number;
  /** The part that is exported, if not all of it. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  readonly redacted?: boolean | undefined;
}

interface HeadRow {
  readonly label: string;
  readonly text: string;
  readonly warning?: true;
}

export function headTitle({ survey, sessionId }: ExportHead): string {
  return survey.title?.trim() || `Session ${sessionId}`;
}

export function headRows({ sessionId, survey, damaged, range, redacted }: ExportHead): readonly HeadRow[] {
  const { created, startedAt, lastActivityAt, models } = survey;
  const rows: (HeadRow | undefined)[] = [
    { label: 'Session', text: sessionId },
    row('Started', startedAt && formatTime(startedAt)),
    row('Last activity', lastActivityAt && formatTime(lastActivityAt)),
    row('Model', models.map(({ provider, model }) => `${model} (${provider})`).join(', then ')),
    row('Directory', created?.cwd),
    row('Branch', created?.git?.branch),
    row('Prompt', created?.prompt?.file),
    row('Forked from', created?.parent && `${created.parent.sessionId}, event ${created.parent.seq}`),
    row('Agent of', created?.subagentOf?.sessionId),
    row('Follows', created?.previous && `archive/${created.previous.archive} (${created.previous.reason})`),
    row('Recorded by', created?.origin?.agent),
    row('Contents', contents(survey)),
    row('Tokens', tokens(survey)),
    row('Shown', range && `events ${range.from} to ${range.to} of 0 to ${survey.lastSeq}`),
    row('Redacted', redacted ? 'secrets were taken out for this export' : undefined),
    damaged > 0
      ? {
          label: 'Damaged',
          text: `${countOf(damaged, 'place')} could not be read; each is marked below`,
          warning: true,
        }
      : undefined,
  ];
  return rows.filter((candidate) => candidate !== undefined);
}

function row(label: string, text: string | undefined): HeadRow | undefined {
  return text ? { label, text } : undefined;
}

function contents({ turns, messages, toolCalls, compactions, branches }: ExportSurvey): string {
  const counts = [
    countOf(turns, 'turn'),
    countOf(messages, 'message'),
    toolCalls > 0 ? countOf(toolCalls, 'tool call') : '',
    compactions > 0 ? countOf(compactions, 'compaction') : '',
  ]
    .filter(Boolean)
    .join(', ');
  return branches.jumps.length === 0 ? counts : `${counts}; what was undone is counted`;
}

function tokens({ spent: { inputTokens, outputTokens, totalCost } }: ExportSurvey): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined;
  const counts = `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`;
  return totalCost === undefined ? counts : `${counts}, $${totalCost.toFixed(4)}`;
}
