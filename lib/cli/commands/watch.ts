// `ollm watch`: keeps importing sessions of other programs while it runs, and the catalogue up to date with them.
import { type Command, Option } from 'commander';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { progressDrawer } from '../progress-bar.ts';
import type { Shell } from '../shell.ts';
import { flagsOfPlaces, NODE, SCRIPT } from './own-words.ts';

interface Options {
  readonly once?: boolean;
  readonly printUnit?: boolean;
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly yes?: boolean;
}

export function defineWatch(program: Command, finish: Finish): void {
  const command = program
    .command('watch')
    .description('keep importing and indexing sessions of other programs as they are written, until it is stopped')
    .option('--once', 'look once, import and index new sessions and parts, and end')
    .addOption(
      new Option('--install', 'make it a user service, which runs from now on and after each login').conflicts([
        'once',
        'printUnit',
        'uninstall',
      ]),
    )
    .addOption(new Option('--uninstall', 'stop that service and remove it').conflicts(['once', 'printUnit']))
    .addOption(
      new Option('--print-unit', 'print the file of the service, for systemd or launchd, and end').conflicts('once'),
    )
    .option('-y, --yes', 'with --install or --uninstall: do not ask')
    .action(
      action<Options, []>(finish, async (shell, options) => {
        const { once, printUnit, install, uninstall, yes } = options;
        if (install || uninstall || printUnit) {
          return (await import('./watch-service.ts')).watchServiceCommand(shell, { install, uninstall, yes });
        }
        if (yes) throw new OllmError('USAGE', '--yes belongs to --install and --uninstall.');
        return watchAndSay(shell, once);
      }),
    );
  withExamples(command, [
    { line: 'ollm watch', does: 'keep everything that agents write from now on, and all that is there, for searches' },
    { line: 'ollm watch --install', does: 'the same as a user service: shows its file, and asks' },
    { line: 'ollm watch --uninstall', does: 'stop the service and remove its file' },
  ]);
}

async function watchAndSay(shell: Shell, once: boolean | undefined): Promise<number> {
  const { output } = shell;
  const app = await shell.openApp('watch');
  const { watchForeign } = await import('../../app/import/watch-sessions.ts');
  const lines: Promise<void>[] = [];
  const draw = progressDrawer(output);
  const told = new Set<string>();
  let isFirst = true;
  await watchForeign(app, {
    program: [NODE, SCRIPT, ...flagsOfPlaces(shell, app)],
    signal: shell.signal,
    once,
    onProgress({ done, total, address }) {
      if (isFirst && total > 1) draw({ done, total, text: address });
    },
    onSession({ kind, address, id, events }) {
      if (events === 0) return;
      if (output.isTerminal && !output.json) {
        // The first walk may import thousands: the bar says how far it is.
        if (!isFirst) lines.push(output.line(`${printableLine(address)}  ${countOf(events, 'new event')}`));
        return;
      }
      output.progress('');
      const line = output.json ? JSON.stringify({ address, id, kind, events }) : `${address}\t${id}\t${events}`;
      lines.push(output.line(line));
    },
    onWalk({ report, lost }) {
      isFirst = false;
      output.progress('');
      if (report.damage !== undefined) output.warn(report.damage);
      for (const { address, reason } of report.skipped) output.warn(`${address} was not imported: ${reason}`);
      for (const { address, reason } of report.contradictions) output.warn(`${address}: ${reason}`);
      for (const address of lost) output.warn(`${address} vanished before it was imported.`);
      output.note(`${countOf(report.sessions, 'session')} looked at, ${countOf(report.events, 'new event')}.`);
      if (once) output.progress('The catalogue is being brought up to date.');
    },
    onSync(outcome) {
      if (outcome.kind === 'busy' && once) output.note('Another process brings the catalogue up to date already.');
      if (outcome.kind !== 'failed' || told.has(outcome.reason)) return;
      told.add(outcome.reason);
      output.warn(`${outcome.reason} Until then, sessions are imported, and searches miss what is new.`);
    },
  });
  output.progress('');
  await Promise.all(lines);
  return 0;
}
