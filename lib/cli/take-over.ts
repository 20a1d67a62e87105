// A session that a server of the same user holds, for a command that writes it: the server gives it up, at once where
// nothing runs in it, else at the end of its turn.
import type { App } from '../app/app.ts';
import { OllmError } from '../errors/index.ts';
import { announcedServer } from '../host/server-file.ts';
import type { Holder } from '../journal/types.ts';
import { connectTo } from './running-server.ts';
import type { Shell } from './shell.ts';

/** Does nothing where another process holds it: to open it then says which. @throws OllmError INTERRUPTED */
export async function takeOver(
  { output }: Pick<Shell, 'output'>,
  app: App,
  { id, holder }: { readonly id: string; readonly holder: Holder },
): Promise<void> {
  const announced = holder.pid === undefined ? undefined : announcedServer(app, holder.pid);
  const server = announced && connectTo(app, announced);
  if (server === undefined) return;
  // The caller may have its own ways with signals afterwards.
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new OllmError('INTERRUPTED', 'Stopped.'));
  process.once('SIGINT', interrupt);
  const { signal } = interruption;
  const ask = (wait: boolean) => server.client.handOver({ parameters: { id }, body: { wait }, signal });
  try {
    const { kind, activity } = await ask(false);
    if (kind === 'free') return;
    const what = activity?.kind === 'waiting' ? 'waits for an answer to a question' : 'runs a turn';
    output.note(`The server at ${server.address} ${what} in ${id}. It goes on here at the end of that turn.`);
    await ask(true);
  } catch (error) {
    signal.throwIfAborted();
    const fields = { service: 'cli', operation: 'take over', sessionId: id, error };
    app.log.warn(fields, 'The server did not give up the session');
  } finally {
    process.off('SIGINT', interrupt);
  }
}
