// `ollm repair`: a whole journal in place of a damaged one.
import type { Command } from 'commander';
import type { RepairReport } from '../../app/sessions/change/repair-session.ts';
import { countOf } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { ERROR_CODES } from '../../errors/index.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { damageLine } from '../event-line.ts';

interface Options {
  readonly dryRun?: boolean;
}

export function defineRepair(program: Command, finish: Finish): void {
  const command = program
    .command('repair')
    .description('replace a damaged journal by a repaired one; the damaged file goes to archive/')
    .argument('<id>', SESSION_ARGUMENT)
    .option('--dry-run', 'print what would be kept, and change nothing')
    .action(
      action<Options, [string]>(finish, async ({ output, openApp }, { dryRun }, reference) => {
        const app = await openApp('repair');
        const { repairSession } = await import('../../app/sessions/change/repair-session.ts');
        const report = await repairSession(app, reference, { dryRun });
        const isStillDamaged = report.archive === undefined && report.findings.length > 0;
        const exitCode = isStillDamaged ? ERROR_CODES.JOURNAL_DAMAGED.exit : 0;
        if (output.json) {
          await output.document(report);
          return exitCode;
        }
        const { id, findings, kept, archive } = report;
        for (const found of findings) await output.line(damageLine(found));
        if (findings.length === 0) await output.line(`${shortId(id)} is not damaged: there is nothing to repair.`);
        else if (archive === undefined) await output.line(planOf(report));
        else
          await output.line(
            `Repaired ${shortId(id)}: ${countOf(kept, 'event')} kept. The damaged journal is archive/${archive}.`,
          );
        return exitCode;
      }),
    );
  withExamples(command, [
    { line: 'ollm repair notes --dry-run', does: 'show the damage and the part that would be kept' },
    { line: 'ollm repair notes', does: 'do it; the old file is kept in archive/' },
  ]);
}

/** What a repair would do, and what would not come back. */
function planOf({ id, findings, kept }: RepairReport): string {
  if (kept === 0)
    return `Nothing of ${shortId(id)} can be read: a repair would keep nothing, and leaves the file as it is.`;
  return `A repair would keep ${countOf(kept, 'event')} of ${shortId(id)}, leave out the damage at ${countOf(findings.length, 'place')}, and move the present journal to archive/. Nothing was changed.`;
}
