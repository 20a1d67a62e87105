// `ollm show`: all that is known of one session.
import type { Command } from 'commander';
import type { FidelityReport } from '../../agents/fidelity.ts';
import type { App } from '../../app/app.ts';
import type { SessionDetails } from '../../app/sessions/read/show-session.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf, formatBytes, formatCount, formatTime } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { shellLine } from '../../display/shell-line.ts';
import type { SummaryState } from '../../projections/summary.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { damageLine } from '../event-line.ts';
import type { Output } from '../output.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly imported?: boolean;
}

const MAX_DAMAGE_SHOWN = 10;

export function defineShow(program: Command, finish: Finish): void {
  const command = program
    .command('show')
    .description('show a summary of a session')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .action(
      action<Options, [string]>(finish, async ({ output, signal, openApp }, { imported }, reference) => {
        const app = await openApp('show');
        if (reference.includes('#') && (await printMessage(output, app, reference, { imported, signal }))) return 0;
        const { showSession } = await import('../../app/sessions/read/show-session.ts');
        const details = await showSession(app, reference, { imported, signal });
        if (output.json) {
          await output.document(documentOf(details));
          return tellCautions(output, app, details.id, details.damage.length);
        }
        const rows = [...rowsOf(details, app.clock.now()), ...resumeRow(details)];
        const width = Math.max(...rows.map(([label]) => label.length)) + 2;
        for (const [label, text] of rows)
          await output.line(`${output.colors.dim(label.padEnd(width))}${printableLine(text)}`);
        for (const found of details.damage.slice(0, MAX_DAMAGE_SHOWN)) output.warn(damageLine(found));
        return tellCautions(output, app, details.id, details.damage.length);
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm show @last', does: 'the last session: title, times, tokens, the process that has it open' },
    { line: 'ollm show claude:5f3c', does: 'the same of a session of Claude Code, where that keeps it' },
    { line: 'ollm show archive/notes.20261129-101500.jsonl', does: 'what a session was before it was reset' },
    { line: 'ollm show notes --json | jq .budget', does: 'one part of it, for a script' },
  ]);
}

/** A single message in full, if the reference names one. Returns whether it does. */
async function printMessage(
  output: Output,
  app: App,
  reference: string,
  options: Options & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { showMessage } = await import('../../app/sessions/read/show-message.ts');
  const message = await showMessage(app, reference, options);
  if (message === undefined) return false;
  if (output.json) await output.document(message);
  else {
    const { exportSession } = await import('../../app/sessions/read/export-session.ts');
    const { chunks } = await exportSession(app, reference, { ...options, format: 'md', transient: true });
    for await (const chunk of chunks) await output.data(chunk);
  }
  return true;
}

function resumeRow({ agent, resume }: SessionDetails): readonly (readonly [label: string, text: string])[] {
  return agent === undefined || resume === undefined ? [] : [['goes on by', shellLine(resume)]];
}

function documentOf({ summary, ...details }: SessionDetails): object {
  if (!summary) return details;
  const { timeline: _, ...shown } = summary;
  return { ...details, summary: shown };
}

function rowsOf(details: SessionDetails, nowMs: number): readonly (readonly [label: string, text: string])[] {
  const { summary, holder, budget } = details;
  const rows: (readonly [string, string | undefined])[] = [
    ['id', details.id],
    ['agent', details.agent?.title],
    ['its id there', details.programId],
    ['imported', details.importId && `as ${details.importId}`],
    ['title', summary?.title],
    ['problem', details.problem],
    ['started', summary?.startTime && formatTime(summary.startTime)],
    [
      'activity',
      summary?.lastActivity && `${formatTime(summary.lastActivity)} (${relativeTime(summary.lastActivity, nowMs)})`,
    ],
    ['model', summary?.model && `${summary.model} (${summary.provider})`],
    ['contents', summary && contentsOf(summary)],
    ['said', summary && `${formatCount(summary.tokenCount)} tokens, those of compacted messages too`],
    ['spent', budget && spentOf(budget)],
    [
      details.agent ? 'source' : 'journal',
      [countOf(details.events, 'event'), details.bytes !== undefined && formatBytes(details.bytes)]
        .filter(Boolean)
        .join(', '),
    ],
    ['understood', details.fidelity && understoodOf(details.fidelity)],
    ['directory', summary?.cwd],
    ['prompt', details.promptFile],
    [details.agent ? 'parent' : 'forked from', details.parent && forkedFrom(details.parent)],
    ['handed from', details.handedFrom],
    ['handed to', details.handedTo?.join(', ')],
    ['agent of', details.subagentOf],
    ['agents', details.subagents?.join(', ')],
    ['follows', details.previous && `archive/${details.previous}`],
    ['open', holder && `by process ${holder.pid ?? 'unknown'}${holder.command ? ` (${holder.command})` : ''}`],
    ['last words', summary?.lastMessage && `${summary.lastMessage.role}: ${summary.lastMessage.excerpt}`],
    ['damage', details.damage.length > 0 ? countOf(details.damage.length, 'place') : undefined],
    ['file', details.location],
  ];
  return rows.flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}

/** Undefined if no request reported its usage. */
function spentOf({ spent }: NonNullable<SessionDetails['budget']>): string | undefined {
  const { calls, inputTokens, outputTokens } = spent;
  return calls === 0 ? undefined : `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`;
}

function forkedFrom({ sessionId, seq }: NonNullable<SessionDetails['parent']>): string {
  return seq === undefined ? sessionId : `${sessionId}, event ${seq}`;
}

/** `ollm import --report` names each type of record. */
function understoodOf({ records, translated, inPart, kept }: FidelityReport): string {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const parts = [`${formatCount(sum(Object.values(translated)))} of ${countOf(records, 'record')} whole`];
  const part = sum(Object.values(inPart).map(({ records: count }) => count));
  const rest = sum(Object.values(kept));
  if (part > 0) parts.push(`${formatCount(part)} in part`);
  if (rest > 0) parts.push(`${formatCount(rest)} not`);
  return parts.join(', ');
}

/** An export counts undone turns; this does not. */
function contentsOf({ turnCount, messageCount, timeline }: SummaryState): string {
  const counts = `${countOf(turnCount, 'turn')}, ${countOf(messageCount, 'message')}`;
  return timeline.branches.jumps.length === 0 ? counts : `${counts}; what was undone is not counted`;
}
