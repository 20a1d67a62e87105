// `ollm prune`: old sessions go to the trash, by number or by age.
import type { Command } from 'commander';
import type { PruneReport } from '../../app/sessions/change/prune-sessions.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { parseAge, parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { Output } from '../output.ts';

interface Options {
  readonly keep?: number;
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly purge?: boolean;
  readonly yes?: boolean;
}

export function definePrune(program: Command, finish: Finish): void {
  const command = program
    .command('prune')
    .description(
      'move old sessions to the trash, by the settings unless told otherwise; open and unreadable sessions always stay',
    )
    .option('--keep <count>', 'keep the last N sessions used', parseCount)
    .option('--older-than <age>', 'only sessions not used for this long, such as 30d', parseAge)
    .option('--dry-run', 'print which sessions would go, and change nothing')
    .option('--purge', 'delete permanently, with their earlier journals in archive/')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, []>(finish, async (shell, { keep, olderThan, dryRun, purge, yes }) => {
        const app = await shell.openApp('prune');
        const { configuredBounds, pruneSessions } = await import('../../app/sessions/change/prune-sessions.ts');
        const isConfigured = keep === undefined && olderThan === undefined;
        const bounds = isConfigured ? configuredBounds(app) : { keep, olderThanMs: olderThan };
        const request = { ...bounds, purge };
        const plan = await pruneSessions(app, { ...request, dryRun: true });
        if (!dryRun && plan.removed.length > 0) {
          const count = countOf(plan.removed.length, 'session');
          const warning = purge
            ? `${count} will be deleted permanently, with their earlier journals in archive/.`
            : `${count} will go to the trash.`;
          if (!(await confirm(shell, { warning, reversible: !purge, yes }))) return 1;
        }
        const report =
          dryRun || plan.removed.length === 0 ? plan : await pruneSessions(app, { ...request, dryRun: false });
        if (shell.output.json) await shell.output.document({ ...report, dryRun: dryRun === true });
        else await print(shell.output, report, { dryRun, purge });
      }),
    );
  withExamples(command, [
    { line: 'ollm prune --older-than 30d --dry-run', does: 'see what would go' },
    { line: 'ollm prune', does: 'go by services.session.maxSessions and maxAge' },
    { line: 'ollm prune --keep 50', does: 'keep the last fifty used; the others go to the trash' },
  ]);
}

async function print(output: Output, report: PruneReport, { dryRun, purge }: Options): Promise<void> {
  for (const { id, title, lastActivity } of report.removed) {
    await output.line([id, lastActivity.slice(0, 10), printableLine(title ?? '')].join('  ').trimEnd());
  }
  for (const { id, reason } of report.spared) output.note(`${id} stays: ${reason}`);
  const count = countOf(report.removed.length, 'session');
  const size = formatBytes(report.removed.reduce((sum, { bytes }) => sum + bytes, 0));
  if (report.removed.length === 0) output.note('Nothing to prune.');
  else if (dryRun) output.note(`${count} would go, with journals of ${size}.`);
  else if (purge) output.note(`Deleted ${count} permanently.`);
  else output.note(`Moved ${count} to the trash. "ollm restore ID" brings one back.`);
}
