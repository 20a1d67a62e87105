// Secrets are planted wherever text comes in: the environment, prompts, files, answers, errors, lines of other
// programs. Then every file that was written, and everything said on standard error, is searched for them.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createApp } from '../../../lib/app/compose.ts';
import { memoryFileSystem, readFile, systemClock } from '../../../lib/platform/index.ts';
import { createHistory } from '../../../lib/repl/input/history.ts';
import { startModel } from '../../repl/slow-model.ts';
import { createHome, type Home, type RunResult } from '../../support/cli.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { ALL_SECRETS as ALL, SECRETS } from '../../support/secrets.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const { password, forge } = SECRETS;
const ENV = { DEPLOY_PASSWORD: password, FORGE_TOKEN: forge };

let home: Home;
let project: Tree;
const runs: RunResult[] = [];

async function ollm(args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) {
  const { input = '', env = {} } = options;
  const result = await home.run(['--log-level', 'debug', ...args], {
    cwd: project.root,
    input,
    env: { ...ENV, ...env },
  });
  runs.push(result);
  return result;
}

beforeAll(async () => {
  home = createHome();
  project = createTree({
    'notes.md': `Deploy with ${ALL}\n`,
    'prompt.md': `You know ${ALL}\n`,
    'task.md': `Use ${ALL}\n`,
    '.git/HEAD': 'ref: refs/heads/main\n',
  });
});
afterAll(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

describe('planted secrets', () => {
  it('pass through the REPL, ask and append', async () => {
    const long = `${ALL}\n${'filler '.repeat(40_000)}${ALL}`;
    const repl = ['repl', '--provider', 'offline', '--name', 'talk', '--prompt-file', 'prompt.md', '--context'];
    const input = [
      `Deploy with ${ALL}`,
      `"""\n${long}\n"""`,
      `/context add ${forge} ${ALL}`,
      `/title About ${ALL}`,
      `/load ${forge}`,
      `/nothing ${ALL}`,
      `/fork ${password}`,
      `/export ${password}.exe`,
      '/env',
      '/history',
      '/retry',
    ].join('\n');
    await ollm([...repl, '--task', 'task.md'], { input });

    await using answering = await startModel({ text: `The keys are ${ALL}.`, ends: true });
    const ask = ['ask', '--provider', 'ollama', '--model', 'slow'];
    const answered = await ollm([...ask, '--name', 'asked', `What of ${ALL}?`], {
      env: { OLLAMA_HOST: answering.url },
    });
    expect(answered.exitCode).toBe(0);

    const error = { status: 401, type: 'application/json', steps: [JSON.stringify({ error: `no entry with ${ALL}` })] };
    await using failing = await startFaultServer({ '/api/chat': error, '/api/tags': error, '/api/show': error });
    const failed = await ollm([...ask, '--name', 'failed', 'Hello?'], { env: { OLLAMA_HOST: failing.url } });
    expect(failed.exitCode).not.toBe(0);

    const part = { type: 'text', text: ALL };
    const message = { role: 'user', parts: [part], tokens: { count: 9, method: 'estimated' }, trusted: true };
    const lines = [
      { type: 'session.titled', data: { title: `On ${password}`, by: 'user' } },
      { type: 'message.added', data: message },
      { type: 'build.finished', data: { [forge]: [{ deep: { deeper: ALL } }], ok: true, count: 3 } },
      { type: 'no good', data: { ALL } },
    ];
    const appended = await ollm(['append', 'appended', '--create'], {
      input: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type": ${ALL}\n`,
    });
    expect(appended.stdout.match(/"seq"/g)).toHaveLength(3);
    for (const name of [`talk ${forge}`, password]) {
      expect(await ollm(['repl', '--provider', 'offline', '--name', name])).toMatchObject({ exitCode: 2 });
    }
    await ollm(['show', forge]);
    await ollm(['show', `--${password}`]);
    await ollm(['repl', '--prompt-file', `/nowhere/${password}`]);
  });

  it('are in no written file, and only the expected files exist', () => {
    const files = readdirSync(home.path, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(home.path, file)).isFile(),
    );
    const kinds = [/talk.*\.jsonl$/, /appended\.jsonl$/, /asked\.jsonl$/, /failed\.jsonl$/, /talk.*\.json$/, /blobs\//];
    for (const kind of [...kinds, /ollm\.log$/]) expect(files.filter((file) => kind.test(file))).not.toEqual([]);
    expect(readFileSync(join(home.sessions, 'asked.jsonl'), 'utf8')).toContain('[redacted anthropic-key');
    expect(readFileSync(join(home.sessions, 'appended.jsonl'), 'utf8')).toContain('[redacted environment-value');
    for (const file of files) {
      const text = `${file}\n${readFileSync(join(home.path, file), 'utf8')}`;
      for (const [name, secret] of Object.entries(SECRETS))
        expect({ file, name, found: text.includes(secret) }).toEqual({ file, name, found: false });
    }
  });

  it('are in no export', async () => {
    for (const format of ['md', 'html', 'json', 'jsonl', 'otel', 'atif', 'asf']) {
      const contents = format === 'otel' ? ['--contents'] : [];
      const { stdout } = await ollm(['export', 'asked', '--redact', '--format', format, ...contents]);
      expect(stdout).toContain('redacted');
      for (const secret of Object.values(SECRETS)) expect(stdout).not.toContain(secret);
    }
  });

  it('were never printed on standard error', () => {
    expect(runs.map(({ stderr }) => stderr).join('')).toContain('ollm: ');
    for (const { stderr } of runs) for (const secret of Object.values(SECRETS)) expect(stderr).not.toContain(secret);
  });

  it('are not in the history of typed lines', () => {
    const directory = join(home.path, 'typed');
    mkdirSync(directory);
    writeFileSync(join(directory, 'x'), '');
    const fileSystem = memoryFileSystem({ clock: systemClock });
    fileSystem.makeDirectory('/home');
    const history = createHistory(fileSystem, '/home/history', (text) => text.replaceAll(password, '[redacted]'));
    history.add(`say ${password}`);
    expect(createHistory(fileSystem, '/home/history').load()).toEqual(['say [redacted]']);
  });
});

const secretText = fc
  .string({ minLength: 8, maxLength: 40 })
  .filter((text) => !/^[\s\w":{},.…()[\]-]*$/.test(text) && JSON.stringify(text) === `"${text}"`);

test('Feature: services-sessions, Property 28: no line of the log and no stored event has a secret of the environment', async () => {
  await fc.assert(
    fc.asyncProperty(secretText, fc.string(), fc.string(), async (secret, before, after) => {
      const fileSystem = memoryFileSystem({ clock: systemClock });
      fileSystem.makeDirectory('/home/me');
      const env = { HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', SERVICE_API_KEY: secret };
      const app = await createApp({ env, cwd: '/home/me', command: 'test', parts: { fileSystem } });
      const said = `${before}${secret}${after}`;
      const cause = new Error(`caused by ${said}`);
      const fields = { service: 'any', operation: 'any', action: said, deep: { list: [said] } };
      app.log.error({ ...fields, error: new Error(said, { cause }) }, said);
      const writer = await app.store.create('s', { provider: 'p', model: said, ollm: '1', cwd: said });
      await writer.append([{ type: 'x.y', data: { said, list: [said, { [said]: said }] } }]);
      await writer.close();
      await app.close();

      const written = [app.paths.log, join(app.paths.sessions, 's.jsonl')].map((path) => readFile(fileSystem, path));
      for (const bytes of written) {
        const text = new TextDecoder().decode(bytes);
        expect(text.length).toBeGreaterThan(100);
        expect(text.includes(secret)).toBe(false);
      }
    }),
    { numRuns: 100 },
  );
});

describe('the search for secrets that each home of a test ends with', () => {
  it.each([
    ['of the environment that a test gives', { DEPLOY_PASSWORD: 'leaked-by-somebody' }, 'leaked-by-somebody'],
    ['that is always there', {}, undefined],
  ])('finds a secret %s', async (_, env, known) => {
    const leaky = createHome();
    const code = 'process.stdout.write(process.env.CANARY_TOKEN)';
    const imported = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
    const { stdout } = await leaky.run(['--version'], { env, nodeOptions: imported });
    mkdirSync(leaky.sessions, { recursive: true });
    writeFileSync(leaky.journal('leaky'), JSON.stringify({ text: `so ${known ?? stdout.slice(0, 32)} it is` }));
    expect(() => leaky[Symbol.dispose]()).toThrow(/^The secret \w+ of the environment stands in .*leaky\.jsonl/);
    expect(existsSync(leaky.path)).toBe(false);
  });

  it('finds nothing in a home without secrets', async () => {
    const tight = createHome();
    await tight.append('notes', [{ type: 'x.note', data: { text: 'nothing to see' } }]);
    expect(() => tight[Symbol.dispose]()).not.toThrow();
  });
});

describe('redaction that is switched off', () => {
  const OFF = 'services: { redaction: { enabled: false } }\n';
  const LINE = [{ type: 'x.note', data: { text: `the key is ${forge}` } }];

  it('stores texts unredacted, says so each time, and still redacts if asked to', async () => {
    using own = createHome();
    writeFileSync(join(own.path, 'config.yaml'), OFF);
    await own.append('notes', LINE);
    expect(readFileSync(own.journal('notes'), 'utf8')).toContain(forge);
    const shown = await own.run(['export', 'notes', '--format', 'jsonl', '--redact']);
    expect(shown.stdout).not.toContain(forge);
    expect(shown.stderr).toContain('Secrets are stored as they are: services.redaction.enabled is false.');
  });

  it('is a setting of the user that a project cannot change', async () => {
    using own = createHome();
    using cloned = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', '.ollm/config.yaml': OFF });
    const input = LINE.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stderr } = await own.run(['append', 'notes', '--create'], { input, cwd: cloned.root });
    expect(readFileSync(own.journal('notes'), 'utf8')).not.toContain(forge);
    expect(stderr).toContain('services.redaction.enabled');
  });
});
