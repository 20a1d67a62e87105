// `ollm recall` as a person and a script see it.
import { createHome, type Home, OLLM, parseLines } from '../../support/cli.ts';
import { startEmbeddingServer } from '../../support/embedding-server.ts';
import { deadUrl } from '../../support/fault-server.ts';
import { openTerminal } from '../../support/terminal.ts';
import { createTree, type Tree } from '../../support/tree.ts';

let home: Home;
let tree: Tree;
beforeAll(async () => {
  home = createHome();
  tree = createTree({
    'locks.md': '# Locks\n\nEach writer \u001b[31mreleases\u001b[0m the lock at its end, and when it is killed.\n',
    'other.md': 'Nothing of that.\n',
  });
  await home.append('oak', [
    {
      type: 'message.added',
      data: { role: 'user', parts: [{ type: 'text', text: 'Why is the harbour lock released?' }], trusted: true },
    },
  ]);
});
afterAll(() => {
  tree[Symbol.dispose]();
  home[Symbol.dispose]();
});

const run = (...args: string[]) => home.here(['recall', ...args], { cwd: tree.root });

describe('ollm recall', () => {
  it('prints a tab-separated line for each passage through a pipe: place, score, words, heading, beginning', async () => {
    const { stdout, exitCode } = await run('when', 'are', 'locks', 'released');
    expect(exitCode).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(lines.map(([place]) => place).sort()).toEqual(['locks.md:1', 'ollm:oak#1']);
    expect(lines.find(([place]) => place === 'locks.md:1')?.slice(2)).toEqual([
      'locks released',
      'locks.md › Locks',
      '# Locks',
    ]);
  });

  it('prints JSON with both ranks for a script, within the requested limit', async () => {
    const [passage, ...others] = parseLines((await run('lock', '--only', 'files', '--project', '.', '--json')).stdout);
    expect(others).toEqual([]);
    expect(passage).toMatchObject({
      ...{ place: 'locks.md:1', kind: 'file', lines: [1, 3], about: 'locks.md › Locks', ranks: { words: 1 } },
      ...{ words: ['lock'], project: tree.root, score: expect.any(Number), tokens: expect.any(Number) },
    });
    expect(parseLines((await run('lock', '--only', 'sessions', '--json')).stdout)).toHaveLength(1);
    expect(parseLines((await run('lock', '-n', '1', '--json')).stdout)).toHaveLength(1);
  });

  it('shows a terminal the reason for each hit, and writes no colours into a file', async () => {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home.path, OLLM_HOME: home.path, TERM: 'xterm' };
    const args = [OLLM, 'recall', 'lock', '--only', 'files'];
    await using terminal = openTerminal(process.execPath, args, { cwd: tree.root, env });
    await terminal.waitFor('rank 1 by words (lock)');
    await terminal.waitFor('Each writer releases the lock');
  });

  it('says so and ends with 0 if it finds nothing, and is wrong usage without words', async () => {
    const { stdout, stderr, exitCode } = await run('zeppelin');
    expect([stdout, exitCode]).toEqual(['', 0]);
    expect(stderr).toContain('No passage was found.');
    expect((await run()).exitCode).toBe(2);
    expect((await run('x', '--only', 'nothing')).exitCode).toBe(2);
  });
});

describe('--rag', () => {
  it('adds passages of the project after the question, as data, except those that a rule hides', async () => {
    using project = createTree({
      'locks.md': '# Locks\n\nEach writer releases the harbour lock at its end, or when it is killed.\n',
      'secret/locks.md': '# Locks\n\nThe harbour lock of the secret writer is released by a word.\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
    });
    const env = { OLLM_PROVIDER: 'offline', OLLM_TOOLS__DENY: 'file_read(secret/**)' };
    const ask = async (...args: string[]) => {
      const { stdout } = await home.here(['ask', '--json', ...args], { cwd: project.root, env });
      return parseLines(stdout);
    };
    const events = await ask('--rag', '--name', 'birch', 'When is the harbour lock of a writer released?');
    const found = events.find(({ type }) => type === 'retrieval.added') as { data: { chunks: { source: string }[] } };
    expect(found).toMatchObject({ data: { trusted: false, query: 'When is the harbour lock of a writer released?' } });
    expect(found.data.chunks.map(({ source }) => source)).toEqual(['locks.md:1']);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('retrieval.added')).toBeGreaterThan(types.indexOf('message.added'));
    const again = await ask('--rag', '--name', 'birch', 'And when was the harbour lock of a writer released?');
    expect(again.map(({ type }) => type)).not.toContain('retrieval.added');
    const without = await ask('--name', 'birch', 'When is the harbour lock of a writer released?');
    expect(without.map(({ type }) => type)).not.toContain('retrieval.added');
  });

  it('sends a model nothing of a hidden file, not even an earlier answer that showed it', async () => {
    using project = createTree({
      'gudgeon.md': 'The gudgeon is opened by a word that is kept elsewhere.\n',
      'secret/word.md': 'The gudgeon is opened by the word abracadabra.\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
    });
    const ask = (args: readonly string[], rules: object) =>
      home.here(['ask', ...args], { cwd: project.root, env: { OLLM_PROVIDER: 'offline', ...rules } });
    expect((await ask(['--name', 'larch', 'show secret/word.md'], {})).stdout).toContain('abracadabra');
    const question = 'By which word is the gudgeon opened?';
    const { stdout } = await ask(['--rag', '--json', '--name', 'elm', question], {
      OLLM_TOOLS__DENY: 'file_read(secret/**)',
    });
    const found = parseLines(stdout).filter(({ type }) => type === 'retrieval.added');
    expect(found).toMatchObject([{ data: { chunks: [{ source: 'gudgeon.md:1' }] } }]);
    expect(JSON.stringify(found)).not.toContain('abracadabra');
  });

  it('offers models the tool recall, which searches files or sessions', async () => {
    const env = { OLLM_PROVIDER: 'offline', OLLM_RETRIEVAL__ENABLED: 'true' };
    const call = async (args: object) =>
      (await home.here(['ask', '--quiet', `recall ${JSON.stringify(args)}`], { cwd: tree.root, env })).stdout;
    expect(await call({ query: 'when are locks released', scope: 'files' })).toContain(
      '[locks.md:1 · locks.md › Locks]',
    );
    expect(await call({ query: 'zeppelin hangar' })).toContain('No passage answers "zeppelin hangar".');
    expect(await call({ query: 'x', scope: 'moon' })).toContain('The arguments of recall are not right');
  });

  it('searches nothing after small talk, by words or by meaning', async () => {
    await using server = await startEmbeddingServer();
    using project = createTree({
      'a.md': 'Ok, yes: go on, and go on. Thanks.\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
    });
    const input = 'ok\nyes, go on\nThanks!\n';
    const byMeaning = { OLLAMA_HOST: server.url, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' };
    for (const more of [{}, byMeaning]) {
      const env = { OLLM_PROVIDER: 'offline', ...more };
      const { stdout, stderr } = await home.here(['repl', '--rag'], { cwd: project.root, env, input });
      expect(stdout + stderr).not.toContain('Found for this question');
    }
    expect(server.texts).toEqual([]);
  });

  it('finds by meaning if a model is configured, and reports once a conversation that it cannot be reached', async () => {
    await using server = await startEmbeddingServer({ meanings: { vessel: 'ship' } });
    using project = createTree({ 'a.md': 'A swift ship crosses the bay.\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    const env = { OLLM_PROVIDER: 'offline', OLLAMA_HOST: server.url, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' };
    const first = await home.here(['recall', 'vessel', '--project', '.', '--json'], { cwd: project.root, env });
    expect(parseLines(first.stdout)).toMatchObject([{ place: 'a.md:1', words: [], ranks: { meaning: 1 } }]);
    expect(first.stderr).toContain('ollama hash makes vectors of 1 passage: the text is sent to it.');
    const repl = (more: object) =>
      home.here(['repl', '--rag'], {
        cwd: project.root,
        env: { ...env, ...more },
        input: 'Where is the vessel now?\nAnd where was the vessel?\n',
      });
    const near = await repl({});
    expect(near.stdout + near.stderr).toContain('Found for this question: a.md:1');
    const away = await repl({ OLLAMA_HOST: await deadUrl() });
    expect((away.stdout + away.stderr).match(/Passages are found by their words alone/g)).toHaveLength(1);
  });
});
