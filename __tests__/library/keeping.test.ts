// The stored parts of conversations, and their places, by the settings: each through the built program and its REPL.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startToolModel } from '../repl/tool-model.ts';
import { createHome, type Home } from '../support/cli.ts';
import { createTree, type Tree } from '../support/tree.ts';

const NOTE = 'The launch code word is marigold-77.';

let home: Home;
let project: Tree;
beforeEach(() => {
  home = createHome();
  project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes.md': `${NOTE}\n` });
});
afterEach(() => {
  project[Symbol.dispose]();
  home[Symbol.dispose]();
});

const repl = (lines: readonly string[], env: Record<string, string> = {}, flags: readonly string[] = []) =>
  home.run(['repl', '--provider', 'offline', ...(flags.includes('--name') ? [] : ['--name', 'talk']), ...flags], {
    input: lines.map((line) => `${line}\n`).join(''),
    cwd: project.root,
    env,
  });
const journals = (directory: string) =>
  existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.jsonl')) : [];

describe('sessions', () => {
  it('are stored in the home of the user, in the project, or nowhere', async () => {
    const inProject = join(project.root, '.ollm', 'session-data');
    expect((await repl(['hello'])).exitCode).toBe(0);
    expect(journals(home.sessions)).toEqual(['talk.jsonl']);
    expect((await repl(['hello'], { OLLM_SERVICES__SESSION__MODE: 'session' })).exitCode).toBe(0);
    expect(journals(inProject)).toEqual(['talk.jsonl']);
    // They are not to be published with the project.
    expect((await home.run(['files'], { cwd: project.root })).stdout).toBe('.ollm/.gitignore\nnotes.md\n');
    const ephemeral = ['repl', '--provider', 'offline', '--ephemeral'];
    expect((await home.run(ephemeral, { input: 'marigold\n', cwd: project.root })).exitCode).toBe(0);
    expect([...journals(home.sessions), ...journals(inProject)]).toEqual(['talk.jsonl', 'talk.jsonl']);
    // A user who wants them there removes the ignore file, and it stays away.
    rmSync(join(project.root, '.ollm', '.gitignore'));
    const more = { OLLM_SERVICES__SESSION__MODE: 'session' };
    expect((await repl(['hello'], more, ['--name', 'other'])).exitCode).toBe(0);
    expect(journals(inProject)).toEqual(['other.jsonl', 'talk.jsonl']);
    expect(existsSync(join(project.root, '.ollm', '.gitignore'))).toBe(false);
  });

  it('are continued by a new one at their limit, and lose nothing', async () => {
    const { stdout, stderr } = await repl(['one', 'two', 'three'], { OLLM_RETENTION__MAX_ITEMS: '2' });
    expect(journals(home.sessions).length).toBeGreaterThan(1);
    expect(stdout + stderr).toMatch(/talk-2|continues/i);
    const all = journals(home.sessions).map((name) => readFileSync(join(home.sessions, name), 'utf8'));
    for (const text of ['one', 'two', 'three']) expect(all.join('')).toContain(`"text":"${text}"`);
  });

  it('beyond the limit go to the trash when a new one is created, the oldest first, and prune lists them beforehand', async () => {
    for (const name of ['a', 'b', 'c']) await home.append(name, [{ type: 'x.note', data: {} }]);
    const dry = await home.run(['prune', '--keep', '1', '--dry-run', '--json']);
    expect(dry.exitCode).toBe(0);
    expect(journals(home.sessions)).toHaveLength(3);
    expect((await repl(['hello'], { OLLM_SERVICES__SESSION__MAX_SESSIONS: '2' })).exitCode).toBe(0);
    expect(journals(home.sessions)).toEqual(['c.jsonl', 'talk.jsonl']);
    expect((await home.run(['restore', 'a'])).exitCode).toBe(0);
    expect(journals(home.sessions)).toContain('a.jsonl');
  });
});

/** The model reads a file, and answers. */
async function readsNotes(env: Record<string, string>) {
  const reading = { calls: [{ name: 'file_read', args: { path: 'notes.md' } }] };
  await using model = await startToolModel(reading, { text: 'Read.' });
  const result = await home.run(['repl', '--provider', 'ollama', '--name', 'talk'], {
    input: 'Read the notes.\n',
    cwd: project.root,
    env: { OLLAMA_HOST: model.url, ...env },
  });
  const requests = model.requests.filter(({ path }) => path === '/api/chat').map(({ body }) => JSON.stringify(body));
  return { ...result, requests };
}

describe('outputs of tools', () => {
  it.each([
    ['are kept', 'true'],
    ['are given to the model and not stored, if the settings say so', 'false'],
  ])('%s', async (_, kept) => {
    const { requests, exitCode } = await readsNotes({ OLLM_RETENTION__STORE_TOOL_OUTPUTS: kept });
    expect(exitCode).toBe(0);
    expect(requests[1]).toContain(NOTE);
    const files = readdirSync(home.sessions, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const everything = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('');
    expect(everything.includes(NOTE)).toBe(kept === 'true');
  });
});

describe('encrypted sessions', () => {
  it('are unreadable without the key, and are read by the model of a conversation in them', async () => {
    const keyFile = join(project.root, 'key');
    writeFileSync(keyFile, 'a long key that nobody can guess 0123456789\n', { mode: 0o600 });
    const env = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: keyFile };
    const looking = { calls: [{ name: 'history_read', args: { query: 'launch code word' } }] };
    await using model = await startToolModel({ text: 'Noted.' }, looking, { text: 'It is marigold-77.' });
    const { exitCode } = await home.run(['repl', '--provider', 'ollama', '--name', 'talk'], {
      input: `${NOTE}\nWhich code word was it?\n`,
      cwd: project.root,
      env: { OLLAMA_HOST: model.url, ...env },
    });
    expect(exitCode).toBe(0);
    const body = model.requests.at(-1)?.body as { messages: { role: string; content: string }[] } | undefined;
    expect(body?.messages.find(({ role }) => role === 'tool')?.content).toContain(NOTE);
    expect(readFileSync(home.journal('talk'), 'utf8')).not.toContain('marigold');
    expect((await home.run(['verify', 'talk'])).exitCode).toBe(0);
  });
});
