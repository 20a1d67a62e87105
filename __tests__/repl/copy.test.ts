import { createHome } from '../support/cli.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { openPipedRepl } from './piped-repl.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const ANSWER = 'Grün:\n\n```sh\nnpm ci\n```';

describe('/copy', () => {
  it('sends the last answer to the terminal as the model wrote it', async () => {
    using home = createHome();
    await using model = await startToolModel({ text: ANSWER });
    const env = { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url };
    await using terminal = openTerminalHere(['repl', '--provider', 'ollama'], { cwd: home.path, env });
    await terminal.waitFor(PROMPT);
    terminal.type('/copy\r');
    await terminal.waitFor('There is no answer to copy yet.');
    terminal.type('How do I install it?\r');
    await terminal.waitFor('npm ci');
    await terminal.waitFor(PROMPT);
    terminal.type('/copy\r');
    await terminal.waitFor('Copied: 5 lines.');
    const [, sent = ''] = /\x1b\]52;c;([^\x07]*)\x07/.exec(terminal.raw()) ?? [];
    expect(Buffer.from(sent, 'base64').toString('utf8')).toBe(ANSWER);
  });

  it('needs a terminal, and says so at a pipe', async () => {
    using repl = await openPipedRepl();
    repl.enter('hello', '/copy');
    repl.end();
    await repl.exitCode;
    expect(repl.shown.errors).toContain('/copy needs a terminal.');
  });
});
