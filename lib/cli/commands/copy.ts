// `ollm copy`: a session, byte for byte, into another store.
import type { Command } from 'commander';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { parseText } from '../arguments.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';

interface Options {
  readonly to: string;
}

export function defineCopy(program: Command, finish: Finish): void {
  const command = program
    .command('copy')
    .description('copy a session as it is, byte for byte, into another directory or to servers of NATS')
    .argument('<id>', SESSION_ARGUMENT)
    .requiredOption('--to <place>', 'a directory of sessions, or nats://HOST:PORT[/TENANT]', parseText)
    .action(
      action<Options, [string]>(finish, async ({ output, openApp }, { to }, reference) => {
        const app = await openApp('copy');
        const { copySession } = await import('../../app/sessions/change/copy-session.ts');
        const report = await copySession(app, reference, { to });
        const { id, bytes, blobs } = report;
        const attachments = blobs === 0 ? '' : ` and ${countOf(blobs, 'attachment')}`;
        await output.done(report, `Copied ${shortId(id)} to ${report.to}: ${formatBytes(bytes)}${attachments}.`);
      }),
    );
  withExamples(command, [
    {
      line: 'ollm copy notes --to /backup/sessions',
      does: 'into a directory, where "ollm --home" or dataDir finds it',
    },
    {
      line: 'ollm copy notes --to nats://127.0.0.1:4222',
      does: 'to servers; with "store" set there, ollm continues with it',
    },
  ]);
}
