// `ollm open`: the page of the server that runs, in a browser, at one session or at the list. The current directory is
// one in which the page may start sessions from then on: its owner opened it.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { OllmError } from '../../errors/index.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples } from '../command.ts';

export function defineOpen(program: Command, finish: Finish): void {
  const command = program
    .command('open')
    .description('open the page of the server that runs, and let it start sessions in this directory')
    .argument('[id]', `session to open: ${CONVERSATION_ARGUMENT}`)
    .action(
      action<object, [string | undefined]>(finish, async ({ openApp, output }, _options, reference) => {
        const app = await openApp('open');
        const { runningServer } = await import('../running-server.ts');
        const server = await runningServer(app);
        if (server === undefined) throw notRunning();
        const view = reference === undefined ? '' : await viewOf(app, reference);
        const { whyNoProject } = await import('../../app/start/no-project.ts');
        const instead = whyNoProject(app, app.cwd);
        if (instead === undefined) await server.openWorkspace({ body: { path: app.cwd } });
        else output.note(`This is ${instead}, not a project: the page starts no sessions here.`);
        const link = `${(await server.makeCode()).link}${view}`;
        const { openInBrowser } = await import('../open-in-browser.ts');
        if (!(await openInBrowser(link))) await output.line(`Open this in a browser; it works once: ${link}`);
      }),
    );
  withExamples(command, [
    { line: 'ollm open', does: 'the list of all sessions' },
    { line: 'ollm open @last', does: 'the session used last' },
    { line: 'ollm open claude:5f3c', does: 'a session of Claude Code' },
  ]);
}

/** The part after the code: the page to open after the login. */
async function viewOf(app: App, reference: string): Promise<string> {
  const { findConversation } = await import('../../app/find/find-session.ts');
  const { id } = await findConversation(app, reference);
  return `/s/${encodeURIComponent(id)}`;
}

function notRunning(): OllmError {
  return new OllmError('USAGE', 'No server runs here.', { hint: 'Start one with "ollm serve --open".' });
}
