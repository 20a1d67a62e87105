// `ollm audit`: every tool call of a session: its decision and rule, the program that ran, its end; and the permanent
// grants of this project.
import type { Command } from 'commander';
import type { AuditRow } from '../../app/sessions/read/audit-session.ts';
import type { Colors } from '../../display/paint.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf, formatDuration } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import type { AuditedDecision, AuditedEnd, AuditedStart } from '../../projections/audit.ts';
import type { Grant } from '../../tools/policy/grants.ts';
import { parseCount } from '../arguments.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import { damageLine } from '../event-line.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';
import { turnTaker } from '../take-turns.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly grants?: boolean;
  readonly revoke?: number;
  readonly imported?: boolean;
}

const MAX_SHOWN_CHARACTERS = 2000;
const MAX_DAMAGE_SHOWN = 10;
const LABEL_WIDTH = 8;

export function defineAudit(program: Command, finish: Finish): void {
  const command = program
    .command('audit')
    .description('list every tool call: decision, rule, what ran, result')
    .argument('[id]', CONVERSATION_ARGUMENT)
    .option('--grants', 'list the permanent grants and denials of this project')
    .option('--revoke <number>', 'revoke one of these grants', parseCount)
    .action(
      action<Options, [string | undefined]>(finish, async (shell, { grants, revoke, imported }, reference) => {
        if (grants || revoke !== undefined) return auditGrants(shell, revoke);
        if (reference !== undefined) return auditCalls(shell, reference, imported);
        throw new OllmError(
          'USAGE',
          'Which session? Try "ollm audit @last", or --grants for permanent grants and denials.',
        );
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm audit @last', does: 'tool calls of the last session' },
    {
      line: `ollm audit notes --json | jq '.calls[] | select(.findings != [])'`,
      does: 'calls that have no decision, no end, or two of them',
    },
    { line: 'ollm audit --grants', does: 'what you answered with “always” or “never” in this project' },
    { line: 'ollm audit --revoke 2', does: 'be asked about it again' },
  ]);
}

async function auditCalls({ output, signal, openApp }: Shell, reference: string, imported?: boolean): Promise<number> {
  const app = await openApp('audit');
  const { auditSession } = await import('../../app/sessions/read/audit-session.ts');
  const report = await auditSession(app, reference, { signal, imported });
  if (output.json) {
    await output.document(report);
    return tellCautions(output, app, report.id, report.damaged);
  }
  const takeTurns = turnTaker(signal);
  for (const call of report.calls) {
    for (const line of linesOf(call, output.colors)) await output.line(line);
    await takeTurns();
  }
  if (report.calls.length === 0) output.note(`No tool was asked for in ${report.id}.`);
  for (const found of report.damage.slice(0, MAX_DAMAGE_SHOWN)) output.warn(damageLine(found));
  return tellCautions(output, app, report.id, report.damaged);
}

async function auditGrants({ output, openApp }: Shell, revoke: number | undefined): Promise<number> {
  const app = await openApp('audit');
  const { openGrants } = await import('../../app/policy/grants-file.ts');
  const grants = openGrants(app);
  if (revoke !== undefined && !(await grants.revoke(revoke))) {
    throw new OllmError('USAGE', `There is no grant or denial ${revoke} in this project.`, {
      hint: '"ollm audit --grants" lists them.',
    });
  }
  const problem = grants.problem();
  if (problem !== undefined) output.warn(printableLine(problem));
  const list = grants.list();
  const denials = grants.denials();
  if (output.json) await output.document({ project: app.paths.project, grants: list, denials });
  else await listGrants(output, app.paths.project, { list, denials });
  return 0;
}

async function listGrants(
  output: Output,
  project: string,
  { list, denials }: { readonly list: readonly Grant[]; readonly denials: readonly Grant[] },
): Promise<void> {
  const print = ({ number, rule, grantedAt }: Grant, word: string) =>
    output.line(
      `${String(number).padStart(4)}  ${word}${printableLine(rule)}  ${output.colors.dim(printableLine(timeOf(grantedAt)))}`,
    );
  for (const grant of list) await print(grant, '');
  for (const denial of denials) await print(denial, 'never ');
  if (list.length === 0) output.note(`There are no permanent grants in ${printableLine(project)}.`);
}

/** The request first, then what became of it, a line each. */
function linesOf(call: AuditRow, colors: Colors): string[] {
  const { seq, ts, turn, tool, args, decisions, starts, ends, findings } = call;
  const place = [timeOf(ts), `event ${seq}`, ...(turn === undefined ? [] : [`turn ${turn}`])].join(', ');
  const line = (label: string, text: string) => `  ${colors.dim(label.padEnd(LABEL_WIDTH))}${shown(text)}`;
  return [
    `${colors.bold(shown(tool ?? 'a tool'))} ${shown(args === undefined ? '' : argumentsOf(args))}`.trimEnd(),
    line('asked', `${place}, call ${call.callId}`),
    ...decisions.map((decision) => line('decided', decisionText(decision))),
    ...starts.map((start) => line('ran', startText(start))),
    ...ends.map((end) => line('ended', endText(end))),
    ...findings.map((finding) => `  ${colors.red('!'.padEnd(LABEL_WIDTH))}${shown(finding)}`),
    '',
  ];
}

function decisionText({ ts, decision, by, rule, reason, dangerous, args }: AuditedDecision): string {
  return [
    `${timeOf(ts)}, ${decision} by ${by}`,
    ...(rule === undefined ? [] : [`rule ${rule}`]),
    ...(dangerous === undefined ? [] : [`dangerous: ${dangerous}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(args === undefined ? [] : [`changed to ${argumentsOf(args)}`]),
  ].join(' · ');
}

function startText({ ts, command, argv, cwd, sandbox, network, envRemoved }: AuditedStart): string {
  return [
    timeOf(ts),
    ...(command === undefined ? [] : [command]),
    ...(command === undefined && argv !== undefined ? [JSON.stringify(argv)] : []),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    `sandbox ${sandbox}`,
    ...(network === undefined ? [] : [network ? 'with network' : 'without network']),
    ...(envRemoved.length === 0 ? [] : [`without ${countOf(envRemoved.length, 'variable')}: ${envRemoved.join(' ')}`]),
  ].join(' · ');
}

function endText({ ts, status, durationMs, truncated }: AuditedEnd): string {
  const cut = truncated ? [`${truncated.keptBytes} of ${truncated.originalBytes} bytes kept`] : [];
  return [
    `${timeOf(ts)}, ${status}${durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`}`,
    ...cut,
  ].join(' · ');
}

function argumentsOf(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/**
 * To the second, in which a call may begin and end. A journal may hold anything: other text is shown as it is.
 */
function timeOf(ts: string | undefined): string {
  if (ts === undefined) return 'time unknown';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(ts) ? `${ts.slice(0, 10)} ${ts.slice(11, 19)} UTC` : ts;
}

function shown(text: string): string {
  const line = printableLine(text.slice(0, MAX_SHOWN_CHARACTERS));
  return text.length > MAX_SHOWN_CHARACTERS ? `${line} … (${text.length} characters)` : line;
}
