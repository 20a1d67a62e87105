// `ollm watch`: keeps importing sessions of other programs while it runs.
import type { Command } from 'commander';
import { countOf } from '../../display/quantities.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly once?: boolean;
  readonly printUnit?: boolean;
}

/**
 * MB of memory for what was made lately, each of three parts of it: by default Node takes up to 96 MB, which a program
 * that runs all day need not have.
 */
const YOUNG_MEGABYTES = 4;

export function defineWatch(program: Command, finish: Finish): void {
  const command = program
    .command('watch')
    .description('keep importing sessions of other programs as they are written, until it is stopped')
    .option('--once', 'look once, import what is new, and end')
    .option('--print-unit', 'print a systemd unit that keeps it running, and end')
    .action(action<Options, []>(finish, watchAndSay));
  withExamples(command, [
    { line: 'ollm watch', does: 'keep everything that agents write from now on, and all that is there' },
    {
      line: 'ollm watch --print-unit > ~/.config/systemd/user/ollm-watch.service',
      does: 'make it a service; "systemctl --user enable --now ollm-watch" starts it',
    },
  ]);
}

async function watchAndSay(shell: Shell, { once, printUnit }: Options): Promise<number> {
  const { output } = shell;
  if (printUnit) {
    await output.line(unitOf(process.execPath, process.argv[1] ?? 'ollm'));
    return 0;
  }
  const app = await shell.openApp('watch');
  const { watchForeign } = await import('../../app/sessions/import/watch-sessions.ts');
  const lines: Promise<void>[] = [];
  await watchForeign(app, {
    signal: shell.signal,
    once,
    onSession({ kind, address, id, events }) {
      if (events === 0) return;
      const line = output.json ? JSON.stringify({ address, id, kind, events }) : `${address}\t${id}\t${events}`;
      lines.push(output.line(line));
    },
    onWalk({ report, lost }) {
      if (report.damage !== undefined) output.warn(report.damage);
      for (const { address, reason } of report.skipped) output.warn(`${address} was not imported: ${reason}`);
      for (const { address, reason } of report.contradictions) output.warn(`${address}: ${reason}`);
      for (const address of lost) output.warn(`${address} vanished before it was imported.`);
      output.note(`${countOf(report.sessions, 'session')} looked at, ${countOf(report.events, 'new event')}.`);
    },
  });
  await Promise.all(lines);
  return 0;
}

function unitOf(node: string, program: string): string {
  return [
    '[Unit]',
    'Description=Keeps the sessions of coding agents',
    '',
    '[Service]',
    `ExecStart=${quoted(node)} --max-semi-space-size=${YOUNG_MEGABYTES} ${quoted(program)} watch`,
    'Restart=on-failure',
    'Nice=10',
    '',
    '[Install]',
    'WantedBy=default.target',
  ].join('\n');
}

/** As systemd reads a word. */
function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
