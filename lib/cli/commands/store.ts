// `ollm store`: what a store on servers needs of a person.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import type { StoreOnServers } from '../../nats/nats-store.ts';
import { action, type Finish, withExamples } from '../command.ts';

export function defineStore(program: Command, finish: Finish): void {
  const command = program.command('store').description('prepare or tidy the servers that "store" names');
  const prepare = command
    .command('prepare')
    .description('make the stream and the buckets of the tenant, if they are not there')
    .action(
      action<object, []>(finish, async ({ output, openApp }) => {
        const servers = serversOf(await openApp('store'));
        const { made } = await servers.prepare();
        if (output.json) await output.document({ location: servers.location, made });
        else await output.line(`${servers.location}: ${made ? 'prepared' : 'was prepared already'}.`);
      }),
    );
  const sweep = command
    .command('sweep')
    .description('remove what crashes and purges left; only while no session is open')
    .action(
      action<object, []>(finish, async ({ output, openApp }) => {
        const { generations, attachments } = await serversOf(await openApp('store')).sweep();
        if (output.json) await output.document({ removed: generations, attachments });
        else {
          const named = `${countOf(attachments, 'attachment')} that no session names`;
          await output.line(`Removed ${countOf(generations, 'generation')} without a name, and ${named}.`);
        }
      }),
    );
  withExamples(command, [{ line: 'ollm store prepare', does: 'once for each tenant, before its first session' }]);
  withExamples(prepare, [
    { line: 'ollm store prepare', does: 'create the missing streams and buckets on the servers' },
  ]);
  withExamples(sweep, [{ line: 'ollm store sweep', does: 'free what crashes and purges left there' }]);
}

/** @throws OllmError USAGE */
function serversOf({ servers }: App): StoreOnServers {
  if (servers) return servers;
  throw new OllmError('USAGE', 'The sessions are not on servers: "store" is not set.', {
    hint: 'Set it in your configuration: store: nats://127.0.0.1:4222',
  });
}
