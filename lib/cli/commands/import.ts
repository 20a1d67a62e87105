// `ollm import`: sessions of other programs, with their sources, in journals of ollm's own.
import type { Command } from 'commander';
import type { FidelityReport } from '../../agents/fidelity.ts';
import { countOf, formatBytes, formatCount } from '../../display/quantities.ts';
import { ERROR_CODES } from '../../errors/index.ts';
import type { ImportReport } from '../../hub/import.ts';
import type { ImportedSession } from '../../hub/import-session.ts';
import { parseText } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { progressDrawer } from '../progress-bar.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly agent?: string;
  readonly all?: boolean;
  readonly file?: string;
  readonly again?: boolean;
  readonly report?: boolean;
}

const FAILED_EXIT = 1;

export function defineImport(program: Command, finish: Finish): void {
  const command = program
    .command('import')
    .description('copy sessions of other programs into journals, together with their sources')
    .argument('[addresses...]', 'agent:id; a unique prefix of the id is enough')
    .option('--agent <name>', 'import all sessions of this agent; with --file: the agent that wrote it', parseText)
    .option('--all', 'import all sessions of all agents, except those that you deleted')
    .option('--file <path>', 'import a transcript, wherever it is', parseText)
    .option('--again', 'translate sessions that are imported already again; the old journals go to archive/')
    .option('--report', 'show how much of each source the events say')
    .action(action<Options, [readonly string[]]>(finish, importAndSay));
  withExamples(command, [
    { line: 'ollm import claude:5f3c', does: 'keep one session of Claude Code' },
    { line: 'ollm import --all', does: 'keep all sessions; later, only the new parts' },
    {
      line: 'ollm import --file talk.jsonl --report',
      does: 'a transcript that you were sent, and how well it is understood',
    },
  ]);
}

async function importAndSay(shell: Shell, options: Options, addresses: readonly string[]): Promise<number> {
  const { output } = shell;
  const app = await shell.openApp('import');
  const { importForeign } = await import('../../app/import/import-sessions.ts');
  const draw = progressDrawer(output);
  const sessions: ImportedSession[] = [];
  const report = await importForeign(app, {
    ...options,
    addresses,
    signal: shell.signal,
    onProgress({ done, total, address }) {
      if (total > 1) draw({ done, total, text: address });
    },
    onSession: (session) => void sessions.push(session),
  });
  output.progress('');
  if (output.json) {
    await output.document({ ...report, list: sessions });
  } else {
    if (report.sessions === 1) for (const { id, kind } of sessions) if (kind !== 'empty') await output.line(id);
    for (const { address, fidelity } of sessions) if (fidelity) await output.line(reportText(address, fidelity));
  }
  for (const { address, reason } of report.skipped) output.warn(`${address} was not imported: ${reason}`);
  for (const { address, reason } of report.held) output.note(`${address} is ${reason}.`);
  for (const { address, shrunk } of sessions) if (shrunk) output.warn(shrunkText(address, shrunk));
  for (const { address, reason } of report.contradictions) output.warn(`${address}: ${reason}`);
  if (report.damage !== undefined) output.warn(report.damage);
  output.note(`${summaryOf(report)}.`);
  if (addresses.length === 0 && options.file === undefined) {
    const { awayHomes } = await import('../../hub/find-sources.ts');
    const { foreignPorts } = await import('../../app/start/foreign-ports.ts');
    for (const sentence of awayHomes(foreignPorts(app))) output.note(sentence);
  }
  if (report.deleted > 0) {
    output.note(`${countOf(report.deleted, 'session')} that you deleted stayed out. Name one to import it again.`);
  }
  if (report.skipped.length > 0) return FAILED_EXIT;
  const isWhole = report.damage === undefined && report.contradictions.length === 0;
  return isWhole ? 0 : ERROR_CODES.JOURNAL_DAMAGED.exit;
}

function shrunkText(address: string, { from, to, generation }: NonNullable<ImportedSession['shrunk']>): string {
  const command = `ollm export ${address} --format source --generation ${generation}`;
  return `The file of ${address} has ${formatBytes(to)} now and had ${formatBytes(from)}, which are kept: "${command}".`;
}

function summaryOf({ sessions, imported, unchanged, grown, again, vanished, empty, events }: ImportReport): string {
  const parts = [`${countOf(imported, 'session')} of ${formatCount(sessions)} imported`];
  if (unchanged > 0) parts.push(`${formatCount(unchanged)} unchanged`);
  if (grown > 0) parts.push(`${formatCount(grown)} continued`);
  if (again > 0) parts.push(`${formatCount(again)} translated again`);
  if (vanished > 0) parts.push(`${formatCount(vanished)} without a source any more`);
  if (empty > 0) parts.push(`${formatCount(empty)} without a conversation`);
  return `${parts.join(', ')}: ${countOf(events, 'new event')}`;
}

function reportText(
  address: string,
  { records, translated, inPart, kept, leftOut, notUnderstood, damagedTotal, damaged }: FidelityReport,
): string {
  const lines = [`${address}: ${countOf(records, 'record')}`];
  for (const [type, count] of Object.entries(translated)) lines.push(`  ${type}: ${count} translated`);
  for (const [type, { records: count, left }] of Object.entries(inPart)) {
    const members = Object.entries(left).map(([member, times]) => (times === 1 ? member : `${member} (${times})`));
    lines.push(`  ${type}: ${count} in part, without ${members.join(', ')}`);
  }
  for (const [type, count] of Object.entries(kept)) lines.push(`  ${type}: ${count} only in the source`);
  for (const [reason, names] of Object.entries(leftOut))
    lines.push(`  left out, because ${reason}: ${names.join(', ')}`);
  const unknown = Object.keys(notUnderstood);
  if (unknown.length > 0) lines.push(`  not understood: ${unknown.join(', ')}`);
  for (const { offset, reason } of damaged) lines.push(`  damaged at byte ${offset}: ${reason}`);
  if (damagedTotal > damaged.length) lines.push(`  and ${damagedTotal - damaged.length} more damaged places`);
  return lines.join('\n');
}
