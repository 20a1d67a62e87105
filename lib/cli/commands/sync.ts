// `ollm sync`: what the sessions say, brought into the catalogue, with progress.
import type { Command } from 'commander';
import { countOf, formatCount } from '../../display/quantities.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { progressBar, redrawTimer } from '../progress-bar.ts';
import type { Shell } from '../shell.ts';

const DAMAGE_EXIT = 4;
/** Sessions that are named one by one. */
const MAX_DAMAGED = 20;

export function defineSync(program: Command, finish: Finish): void {
  const command = program
    .command('sync')
    .description('bring what all sessions say into the catalogue, also those of other programs, for "ollm search"')
    .argument('[path]', 'only this file, in which a program keeps sessions; a hook of that program may call it')
    .action(action<object, [string | undefined]>(finish, syncAndSay));
  withExamples(command, [
    { line: 'ollm sync', does: 'read what is new; the first time, everything' },
    { line: 'ollm sync ~/.claude/projects/-work/5f3c.jsonl', does: 'the same of one file, immediately' },
    { line: 'ollm sync --json', does: 'the same; counts, and what was skipped, as JSON' },
  ]);
}

async function syncAndSay(shell: Shell, _options: object, path: string | undefined): Promise<number> {
  const { output } = shell;
  const app = await shell.openApp('sync');
  const { syncSessions, unusableCatalog } = await import('../../app/sessions/import/sync-sessions.ts');
  const isTimeToDraw = redrawTimer();
  const outcome = await syncSessions(app, {
    path,
    signal: shell.signal,
    onProgress({ done, total, address }) {
      if (isTimeToDraw()) output.progress(progressBar({ done, total, text: address }));
    },
  });
  output.progress('');
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  if (outcome.kind === 'busy') {
    output.note('Another process brings the catalogue up to date already.');
    return 0;
  }
  const { report } = outcome;
  if (output.json) await output.document(report);
  for (const { address, reason } of report.skipped) output.warn(`${address} was skipped: ${reason}`);
  for (const { address, reason } of report.contradictions) output.warn(`${address}: ${reason}`);
  const { OWN_AGENT } = await import('../../catalog/catalog.ts');
  for (const { address, places } of report.damage.slice(0, MAX_DAMAGED)) {
    output.warn(
      `${address}: ${countOf(places, 'place')} could not be read. See "${commandAbout(address, OWN_AGENT)}".`,
    );
  }
  const more = report.damage.length - MAX_DAMAGED;
  if (more > 0) output.warn(`${countOf(more, 'more session')} could not be read whole: --json lists them.`);
  const { sessions, read, rows, vanished } = report;
  const parts = [`${countOf(read, 'session')} of ${formatCount(sessions)} read`, countOf(rows, 'new text')];
  if (vanished > 0) parts.push(`${vanished} removed`);
  output.note(`${parts.join(', ')}.`);
  const hasFailed = report.skipped.some(({ code }) => code !== 'SESSION_ENCRYPTED');
  return report.damaged > 0 || report.contradictions.length > 0 || hasFailed ? DAMAGE_EXIT : 0;
}

/** The command that lists the places: one of ours has checksums, the file of another program is read through. */
function commandAbout(address: string, ownAgent: string): string {
  const own = `${ownAgent}:`;
  return address.startsWith(own) ? `ollm verify ${address.slice(own.length)}` : `ollm show ${address}`;
}
