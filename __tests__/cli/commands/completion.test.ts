// The text that Tab inserts, in real shells on a pseudo-terminal. The ollm that they run answers "completion" as the
// program does, and otherwise writes down its arguments: so the test sees how the shell parsed the line.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pty from '@lydell/node-pty';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { endWithTests } from '../../support/end-with-tests.ts';
import { until } from '../../support/until.ts';

const PROMPT = 'ready> ';
const TAB = '\t';
const CTRL_U = '\x15';
/** The mark that the stand-in for ollm prints once it has written down its arguments. */
const WRITTEN = 'arguments written';
/** Each of the shells asks for marked pastes when it is ready for a line. */
const READY = '\x1b[?2004h';
/** Names that a shell would understand as something else than a name. */
const HARD_NAMES = ['$(touch RAN)', 'a b.md', "it's; touch RAN", '`touch RAN`', '&touch RAN', '*?[x]'];

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  /** Writes its start-up file into `folder`. */
  setUp(folder: string): { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    setUp(folder) {
      writeFileSync(join(folder, 'rc'), `PS1='${PROMPT}'\nsource <(ollm completion bash)\n`);
      return { args: ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'] };
    },
  },
  {
    name: 'zsh',
    setUp(folder) {
      const lines = [`PS1='${PROMPT}'`, 'autoload -U compinit', 'compinit -u -D', 'source <(ollm completion zsh)'];
      writeFileSync(join(folder, '.zshrc'), `${lines.join('\n')}\n`);
      return { args: ['-d', '-i'], env: { ZDOTDIR: folder } };
    },
  },
  {
    name: 'fish',
    setUp(folder) {
      mkdirSync(join(folder, 'fish'));
      const lines = [
        'set fish_greeting',
        `function fish_prompt; echo '${PROMPT}'; end`,
        'ollm completion fish | source',
      ];
      writeFileSync(join(folder, 'fish', 'config.fish'), `${lines.join('\n')}\n`);
      return { args: ['-i'], env: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: join(folder, 'data') } };
    },
  },
];

for (const shell of SHELLS) {
  const isThere = spawnSync(shell.name, ['--version']).status === 0;
  if (!isThere) console.log(`skipped: completion in ${shell.name}, which is not installed`);

  (isThere ? describe : describe.skip)(`Tab in ${shell.name}`, () => {
    let home: Home;
    let folder: string;
    let place: string;
    let child: pty.IPty;
    let output = '';
    let ended: Promise<unknown>;
    beforeAll(async () => {
      home = createHome();
      await home.append('notes', []);
      folder = mkdtempSync(join(tmpdir(), 'ollm-completion-'));
      place = join(folder, 'place');
      mkdirSync(place);
      mkdirSync(join(folder, 'bin'));
      const program = `#!/bin/sh
if [ "$1" = completion ]; then exec '${process.execPath}' '${OLLM}' "$@"; fi
printf '%s\\n' "$@" > '${folder}/args.new' && mv '${folder}/args.new' '${folder}/args'
echo '${WRITTEN}'
`;
      writeFileSync(join(folder, 'bin', 'ollm'), program, { mode: 0o755 });
      const { args, env = {} } = shell.setUp(folder);
      child = pty.spawn(shell.name, [...args], {
        cwd: place,
        cols: 200,
        rows: 40,
        env: {
          TERM: 'xterm',
          PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
          HOME: folder,
          OLLM_HOME: home.path,
          ...env,
        },
      });
      endWithTests(() => child.kill('SIGKILL'));
      ended = new Promise((resolve) => child.onExit(resolve));
      child.onData((text) => {
        output += text;
      });
      await until(() => output.includes(READY));
    });
    beforeEach(() => {
      for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
      rmSync(join(folder, 'args'), { force: true });
    });
    afterAll(async () => {
      child.kill('SIGKILL');
      await ended;
      home[Symbol.dispose]();
      // A shell may still be writing its history.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });

    /** The arguments that ollm gets when this line is typed. What a test before it left on the line is taken away. */
    async function argumentsOf(line: string): Promise<string[]> {
      output = '';
      child.write(`${CTRL_U}${line}\r`);
      await until(() => output.split(WRITTEN)[1]?.includes(READY) === true);
      return readFileSync(join(folder, 'args'), 'utf8').split('\n').slice(0, -1);
    }

    it.each(HARD_NAMES)('inserts a file called %s as one word, and runs no part of its name', async (name) => {
      writeFileSync(join(place, name), '');
      expect(await argumentsOf(`ollm ask --prompt-file ${TAB} end`)).toEqual(['ask', '--prompt-file', name, 'end']);
      expect(existsSync(join(place, 'RAN'))).toBe(false);
    });

    it('inserts a directory of that name as one word too', async () => {
      mkdirSync(join(place, '$(touch RAN) x'));
      const [flag, directory] = await argumentsOf(`ollm --home ${TAB} end`);
      // zsh takes the slash away when a space follows.
      expect([flag, directory?.replace(/\/$/, '')]).toEqual(['--home', '$(touch RAN) x']);
      expect(existsSync(join(place, 'RAN'))).toBe(false);
    });

    it.each([
      [`exp${TAB} end`, ['export', 'end']],
      [`repl --prom${TAB} end`, ['repl', '--prompt-file', 'end']],
      [`repl --prompt-file pl${TAB} end`, ['repl', '--prompt-file', 'plain.md', 'end']],
      [`repl --resume n${TAB} end`, ['repl', '--resume', 'notes', 'end']],
      [`list --so${TAB} end`, ['list', '--sort', 'end']],
      [`list --sort ti${TAB} end`, ['list', '--sort', 'title', 'end']],
      [`tail no${TAB} end`, ['tail', 'notes', 'end']],
      [`show claude:5f${TAB} end`, ['show', 'claude:5f3c', 'end']],
      [`show claude:${TAB} end`, ['show', 'claude:5f3c', 'end']],
      [`show clau${TAB}5f${TAB} end`, ['show', 'claude:5f3c', 'end']],
      [`tail notes --fol${TAB} end`, ['tail', 'notes', '--follow', 'end']],
      [`export notes --output pl${TAB} end`, ['export', 'notes', '--output', 'plain.md', 'end']],
      [`export notes -o pl${TAB} end`, ['export', 'notes', '-o', 'plain.md', 'end']],
      [`--config pl${TAB} end`, ['--config', 'plain.md', 'end']],
      [`config ge${TAB} end`, ['config', 'get', 'end']],
      [`--quiet list --so${TAB} end`, ['--quiet', 'list', '--sort', 'end']],
    ])('%j', async (line, expected) => {
      writeFileSync(join(place, 'plain.md'), '');
      const sessions = join(folder, '.claude/projects/x');
      mkdirSync(sessions, { recursive: true });
      for (const name of ['5f3c', '$(touch RAN)', '5f`touch RAN`']) writeFileSync(join(sessions, `${name}.jsonl`), '');
      expect(await argumentsOf(`ollm ${line}`)).toEqual(expected);
      expect(existsSync(join(place, 'RAN'))).toBe(false);
    });
  });
}
