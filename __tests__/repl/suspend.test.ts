import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createHome, OLLM, ROOT } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

const CTRL_Z = '\x1a';
const CTRL_D = '\x04';

const quoted = (text: string) => `'${text}'`;
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;

/** A node of this machine that is too old for ollm, so that bin/ollm.js has to hand over. */
function findOlderNode(): string | undefined {
  const nodes = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'node'));
  return nodes.find((node) => {
    const version = /^v(\d+)\./.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
    return version !== undefined && Number(version) < 24;
  });
}

const olderNode = findOlderNode();
const starts = [
  ['by this Node', `${quoted(process.execPath)} ${quoted(OLLM)}`, true],
  ['by npm start', 'npm start --', isThere('npm')],
  ['by an older Node, which hands over', `${quoted(olderNode ?? 'node')} ${quoted(OLLM)}`, olderNode !== undefined],
] as const;

describe('Ctrl+Z at the prompt', () => {
  for (const [title, command, canRun] of starts) {
    if (!canRun || !isThere('bash'))
      console.log(`skipped: Ctrl+Z started ${title} needs a program that is missing here`);
    (canRun && isThere('bash') ? it : it.skip)(`gives the shell its terminal back, started ${title}`, async () => {
      using home = createHome();
      await using terminal = openTerminal('bash', ['--norc', '--noprofile', '-i'], {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH!,
          HOME: home.path,
          OLLM_HOME: home.path,
          PS1: 'shell$ ',
          npm_config_update_notifier: 'false',
        },
      });
      await terminal.waitFor('shell$');
      terminal.type(`${command} repl --provider offline --name talk\r`);
      await terminal.waitFor('Session talk, new.');
      await terminal.waitFor(/^>( |$)/);
      terminal.type(CTRL_Z);
      await terminal.waitFor('Stopped');
      await terminal.waitFor('shell$');
      terminal.type('echo $((6 * 7)) is said by the shell\r');
      await terminal.waitFor('42 is said by the shell');
      terminal.type('fg\r');
      await terminal.waitFor(/^>( |$)/);
      terminal.type('/title after the pause\r');
      await terminal.waitFor('after the pause');
      await terminal.waitFor(/^>( |$)/);
      terminal.type(CTRL_D);
      await terminal.waitFor('Session talk is kept.');
      await terminal.waitFor('shell$');
      terminal.type('exit\r');
      expect((await terminal.exit).code).toBe(0);
    });
  }

  it('changes nothing if no shell could take the terminal', async () => {
    using home = createHome();
    await using terminal = openTerminal(process.execPath, [OLLM, 'repl', '--provider', 'offline', '--name', 'talk'], {
      cwd: home.path,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
    });
    await terminal.waitFor(/^>( |$)/);
    terminal.type(CTRL_Z);
    const takesKeysAgain = /\x1b\[\?2004l[\s\S]*\x1b\[\?2004h/;
    await terminal.waitUntil(() => takesKeysAgain.test(terminal.raw()), 'the terminal to be taken again');
    terminal.type('/title still here\r');
    await terminal.waitFor('still here');
    await terminal.waitFor(/^>( |$)/);
    terminal.type(CTRL_D);
    await terminal.waitFor('Session talk is kept.');
    expect((await terminal.exit).code).toBe(0);
  });
});
