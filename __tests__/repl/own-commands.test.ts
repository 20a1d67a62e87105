// The user's own commands at the prompt: in the menu, in /help and with Tab; the text that they send, and the model
// that answers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home, OLLM } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { startToolModel } from './tool-model.ts';

type Model = Awaited<ReturnType<typeof startToolModel>>;
const PROMPT = /^>( |$)/;

function homeWith(files: Readonly<Record<string, string>>): Home {
  const home = createHome();
  for (const [path, content] of Object.entries({ 'project/.git/HEAD': 'ref: refs/heads/main\n', ...files })) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), content);
  }
  return home;
}

const placeOf = (home: Home, model: Model) => ({
  cwd: join(home.path, 'project'),
  env: { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url },
});

function open(home: Home, model: Model, columns = 80): Terminal {
  const { cwd, env } = placeOf(home, model);
  const args = [OLLM, 'repl', '--provider', 'ollama', '--model', 'tooled:latest'];
  return openTerminal(process.execPath, args, { columns, cwd, env: { PATH: process.env.PATH!, ...env } });
}

/** Says yes or no to the text of a project's command. */
async function decide(terminal: Terminal, key: 'y' | 'n', words = key === 'y' ? 'yes' : 'no'): Promise<void> {
  await terminal.waitFor('not now');
  await pressKey(terminal, key, () => terminal.lines().join('').includes(`not now ${words}`));
}

const asked = ({ requests }: Model) =>
  requests.filter(({ path }) => path === '/api/chat').map(({ body }) => body as unknown as ChatRequest);

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

it.each([40, 80, 120])(
  'an own command is in the menu, and sends its text with the arguments, at %i columns',
  async (columns) => {
    using home = homeWith({
      'project/.ollm/commands/zoo.md': '---\ndescription: Counts animals\n---\nCount the $1 and the $2.',
    });
    await using model = await startToolModel({ text: 'Fine.' });
    await using terminal = open(home, model, columns);
    await terminal.waitFor(PROMPT);
    terminal.type('/zo');
    await terminal.waitFor(/\/zoo \[ARGUMENTS\]/);
    await terminal.waitFor('Counts');
    terminal.type('\tbears "polar foxes"\r');
    await decide(terminal, 'y');
    await terminal.waitFor('Fine.');
    const screen = terminal.lines().join(' ').replaceAll(/\s+/g, ' ');
    expect(screen).toContain('> Count the bears and the polar foxes.');
    expect(asked(model).at(-1)?.messages.at(-1)?.content).toBe('Count the bears and the polar foxes.');
  },
);

it('an own command sends its text through a pipe, is in /help all and in suggestions, and reports its faults once', async () => {
  using home = homeWith({
    '.ollm/commands/zoo.md': 'Count the $ARGUMENTS.',
    '.ollm/commands/quit.md': 'Do not leave.',
    '.ollm/commands/bad.md': '---\ndescription: [\n---\nBad.',
  });
  await using model = await startToolModel({ text: 'Fine.' });
  const input = '/zoo big bears\n/help all\n/zo\n/quit\nnot reached\n';
  const { stdout, stderr } = await home.here(['repl', '--provider', 'ollama'], { input, ...placeOf(home, model) });
  expect(asked(model).map(({ messages }) => messages.at(-1)?.content)).toEqual(['Count the big bears.']);
  expect(stdout).toMatch(/\/zoo \[ARGUMENTS\] +Count the \$ARGUMENTS\./);
  expect(stderr).toContain('Did you mean /zoo?');
  expect(stderr.split('quit.md is not used: /quit is a command of ollm.')).toHaveLength(2);
  expect(stderr).toMatch(/bad\.md:\d: not valid YAML/);
});

it("an own command that names a model is answered by that model, and the next message by the session's model", async () => {
  using home = homeWith({ '.ollm/commands/zoo.md': '---\nmodel: other:latest\n---\nCount.' });
  await using model = await startToolModel({ text: 'Fine.' });
  const args = ['repl', '--provider', 'ollama', '--model', 'tooled:latest'];
  const input = '/zoo\nand now\n';
  await home.here(args, { input, ...placeOf(home, model) });
  expect(asked(model).map((request) => request.model)).toEqual(['other:latest', 'tooled:latest']);
});

it('a command of the project is sent only after a yes to its text, and again after a change', async () => {
  using home = homeWith({ 'project/.ollm/commands/zoo.md': 'Count bears.' });
  await using model = await startToolModel({ text: 'Fine.' });
  {
    await using terminal = open(home, model);
    await terminal.waitFor(PROMPT);
    terminal.type('/zoo\r');
    await terminal.waitFor('│ Count bears.');
    await decide(terminal, 'n');
    await terminal.waitFor('/zoo was not sent.');
    expect(asked(model)).toEqual([]);
    terminal.type('/zoo\r');
    await terminal.waitUntil(() => linesWith(terminal, '│ Count bears.') > 1, 'the second question');
    await decide(terminal, 'y');
    await terminal.waitFor('Fine.');
    terminal.type('/zoo\r');
    await terminal.waitUntil(() => linesWith(terminal, 'Fine.') > 1, 'the second answer');
    expect(linesWith(terminal, '│ Count bears.')).toBe(2);
  }
  const sent = asked(model).length;
  writeFileSync(join(home.path, 'project/.ollm/commands/zoo.md'), 'Count money.');
  await using terminal = open(home, model);
  await terminal.waitFor(PROMPT);
  terminal.type('/zoo\r');
  await terminal.waitFor('│ Count money.');
  expect(asked(model)).toHaveLength(sent);
});

it('a command of the project is sent through a pipe only if the user trusts it', async () => {
  using home = homeWith({ 'project/.ollm/commands/zoo.md': 'Count bears.' });
  await using model = await startToolModel({ text: 'Fine.' });
  const { cwd, env } = placeOf(home, model);
  const talk = (more: Readonly<Record<string, string>> = {}) =>
    home.here(['repl', '--provider', 'ollama'], { input: '/zoo\n', cwd, env: { ...env, ...more } });
  const { stderr } = await talk();
  expect(stderr).toContain('.ollm/commands/zoo.md of this project is not trusted. Nothing was sent.');
  expect(asked(model)).toEqual([]);
  await talk({ OLLM_TRUSTED_DIRECTORIES: cwd });
  expect(asked(model)).toHaveLength(1);
});

it("a text of the project attaches no file of the user's, but typed text does", async () => {
  using home = homeWith({
    'private.txt': 'PRIVATE',
    'project/open.txt': 'OPEN',
    'project/.ollm/commands/zoo.md': 'Look at @~/private.txt and $1.',
  });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await terminal.waitFor(PROMPT);
  terminal.type('/zoo @open.txt\r');
  await decide(terminal, 'y');
  await terminal.waitFor('Fine.');
  const sent = JSON.stringify(asked(model));
  expect(sent).toContain('OPEN');
  expect(sent).not.toContain('PRIVATE');
});
