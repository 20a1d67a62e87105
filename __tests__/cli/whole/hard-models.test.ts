// Models and tools at their worst, through the built program: whatever happens, the session continues with the next
// message, and the next request is valid. A message that says "and now?" is always answered properly.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import { createHome, type Home, parseLines } from '../../support/cli.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { faultsOf } from '../../support/well-formed.ts';

const ANSWER = 'Now it is fine.';
interface Call {
  readonly name: string;
  readonly arguments: string;
}

interface Played {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** Bodies of the requests for answers. */
  readonly requests: readonly object[];
}

interface Play {
  /** How the model reacts to "go": with calls at first, then with its text, ANSWER by default. */
  readonly calls?: (step: number) => readonly Call[];
  readonly says?: string;
  /** Under `providers.compatible.box`, and at the top. */
  readonly box?: string;
  readonly config?: string;
}

let home: Home;
let project: Tree;

beforeEach(() => {
  home = createHome();
  project = createTree({ 'notes.md': 'The port is 4711.\n' });
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

/** "go", then "and now?". */
async function play({ calls, says = ANSWER, box = 'contextWindow: 100000', config = '' }: Play): Promise<Played> {
  const mock = new LLMock({ port: 0 });
  let steps = 0;
  mock.on({ userMessage: 'and now' }, { content: ANSWER });
  mock.on({}, () => {
    const wanted = calls?.(steps) ?? [];
    steps += 1;
    return wanted.length > 0 ? { toolCalls: [...wanted] } : { content: says };
  });
  const url = await mock.start();
  project.write({
    'config.yaml': `model: gpt-4o\n${config}\nproviders:\n  compatible:\n    box: {baseUrl: "${url}/v1", ${box}}\n`,
  });
  try {
    const args = ['--config', 'config.yaml', 'repl', '--name', 'hard', '--provider', 'box', '--model', 'gpt-4o'];
    const ran = await home.here(args, { cwd: project.root, input: 'go\nand now?\n' });
    const events = parseLines(readFileSync(home.journal('hard'), 'utf8')) as unknown as Played['events'];
    const requests = mock.getRequests().flatMap(({ path, body }) => (/chat/.test(path) ? [body as object] : []));
    return { ...ran, events, requests };
  } finally {
    await mock.stop();
  }
}

function goesOn({ stdout, events, requests }: Played): void {
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(ANSWER);
  expect(events.filter(({ type }) => type === 'turn.ended').at(-1)?.data).toMatchObject({ status: 'completed' });
  expect(requests.flatMap(faultsOf)).toEqual([]);
  expect(requests.length).toBeGreaterThan(0);
}

const results = ({ events }: Played) =>
  events.flatMap(({ type, data }) =>
    type === 'tool.finished' ? [data as { status: string; result: { llmContent: string } }] : [],
  );
const first = (...list: readonly Call[]) => ({ calls: (step: number) => (step === 0 ? list : []) });

describe('a model that', () => {
  it('calls unknown tools is told the known ones', async () => {
    const played = await play(
      first(...['teleport', '__proto__', 'file-read', 'x'.repeat(500)].map((name) => ({ name, arguments: '{}' }))),
    );
    goesOn(played);
    expect(played.exitCode).toBe(0);
    expect(results(played).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'error'));
    expect(results(played)[0]?.result.llmContent).toMatch(/no tool "?teleport"?.*file_read/s);
  });

  it.each([
    ['half an object', '{"path":', /JSON/],
    ['nothing', '', /path/],
    ['a list', '[1]', /object/],
    ['null', 'null', /path.*missing/],
    ['a number in place of text', '{"path":7}', /path.*(text|string)/],
    ['an unrequested member', '{"path":"notes.md","colour":"red"}', /colour/],
    ['an object with an unknown member', '{"__proto__":{"path":"notes.md"}}', /path|__proto__/],
    ['a very long path', JSON.stringify({ path: 'x'.repeat(20_000) }), /./],
    ['depth without end', `{"path":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /"Arguments "/],
    ['more members than anybody reads', `{"path":[${'0,'.repeat(200_000)}0]}`, /"Arguments "/],
  ])('gives %s as arguments is told the fault', async (_, text, reason) => {
    const played = await play(first({ name: 'file_read', arguments: text }));
    goesOn(played);
    expect(results(played)).toMatchObject([{ status: 'error' }]);
    expect(results(played)[0]?.result.llmContent).toMatch(reason);
  });

  it('never stops calling is stopped', async () => {
    const played = await play({
      calls: (step) => [{ name: 'file_read', arguments: JSON.stringify({ path: 'notes.md', from_line: step + 1 }) }],
      config: 'services: {loopDetection: {maxTurns: 7}}',
    });
    goesOn(played);
    expect(played.events.find(({ type }) => type === 'turn.ended')?.data).toMatchObject({ status: 'loop', steps: 7 });
  });

  it('never stops repeating itself is stopped', async () => {
    const played = await play({ says: 'I cannot stop saying this sentence to you. '.repeat(500) });
    goesOn(played);
    expect(played.events.find(({ type }) => type === 'turn.ended')?.data).toMatchObject({ status: 'loop' });
  });

  it('answers nothing, also after a tool, leaves a request that servers accept', async () => {
    for (const calls of [undefined, first({ name: 'list_files', arguments: '{}' }).calls]) {
      const played = await play({ says: '', ...(calls && { calls }) });
      goesOn(played);
      expect(played.exitCode).toBe(0);
      expect(played.events.find(({ type }) => type === 'turn.ended')?.data).toMatchObject({ incomplete: 'empty' });
      home[Symbol.dispose]();
      home = createHome();
    }
  });
});

const canConfine = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

(canConfine ? describe : describe.skip)('a tool that prints (skipped where bubblewrap cannot confine it)', () => {
  const allowed = 'tools: {allow: [bash]}';
  const bash = (command: string) => first({ name: 'bash', arguments: JSON.stringify({ command }) });

  it('a gigabyte is cut, ended or kept in part, and the model reads how much there was', async () => {
    const played = await play({ ...bash('yes 0123456789 | head -c 1000000000'), config: allowed });
    goesOn(played);
    const [{ result }] = results(played) as unknown as [{ result: Record<string, unknown> & { llmContent: string } }];
    expect(result.llmContent).toMatch(/0123456789\n/);
    expect(result.llmContent).toMatch(/bytes/);
    expect(result.llmContent.length).toBeLessThan(100_000);
    expect(
      result.truncated ?? played.events.find(({ type }) => type === 'tool.finished')?.data.truncated,
    ).toBeDefined();
  });

  it('bytes that are not text are described to the model', async () => {
    const played = await play({ ...bash('head -c 100000 /dev/urandom'), config: allowed });
    goesOn(played);
    expect(results(played)[0]?.result.llmContent).toMatch(/Binary output, no text: 100,000 bytes/);
  });

  it('empty output is reported as no output', async () => {
    const played = await play({ ...bash('true'), config: allowed });
    goesOn(played);
    expect(JSON.stringify(played.requests.at(-1))).toMatch(/exit code 0|nothing|no output/i);
  });
});

describe('a missing or invalid part around a model', () => {
  it('a missing key: the error names its variable and the page that issues it, and another provider answers', async () => {
    const input = 'go\n/provider offline\nand now?\n';
    const args = ['repl', '--name', 'hard', '--provider', 'openai', '--model', 'gpt-4o'];
    const { stdout, stderr } = await home.here(args, { cwd: project.root, input });
    expect(stderr).toMatch(/OPENAI_API_KEY/);
    expect(stderr).toMatch(/https:\/\/platform\.openai\.com/);
    expect(stdout).toContain('This is a search, not a language model');
  });

  it('a rejected key: the error names its variable, and never quotes the key', async () => {
    await using server = await startFaultServer({
      '/v1/chat/completions': {
        status: 401,
        type: 'application/json',
        steps: [JSON.stringify({ error: { message: 'Incorrect API key provided: planted-4711' } })],
      },
    });
    project.write({
      'config.yaml': `providers: {compatible: {box: {baseUrl: "${server.url}/v1", apiKeyEnv: BOX_KEY}}}\n`,
    });
    const args = ['--config', 'config.yaml', 'repl', '--name', 'hard', '--provider', 'box', '--model', 'm'];
    const input = 'go\n/provider offline\nand now?\n';
    const ran = await home.here(args, { cwd: project.root, input, env: { BOX_KEY: 'planted-4711' } });
    expect(ran.stderr).toContain('BOX_KEY');
    expect(ran.stdout).toContain('This is a search, not a language model');
    expect(ran.stdout + ran.stderr + readFileSync(home.journal('hard'), 'utf8')).not.toContain('planted-4711');
  });

  it('an unknown model: the error lists the models, and one of them answers in the same session', async () => {
    const mock = new LLMock({ port: 0 });
    mock.on({}, { content: ANSWER });
    const url = await mock.start();
    project.write({ 'config.yaml': `providers: {compatible: {box: {baseUrl: "${url}/v1"}}}\n` });
    const args = ['--config', 'config.yaml', 'repl', '--name', 'hard', '--provider', 'offline'];
    const input = '/provider box gpt-17\n/provider box gpt-4o\nand now?\n';
    const { stdout, stderr } = await home.here(args, { cwd: project.root, input });
    await mock.stop();
    expect(stderr).toMatch(/no model "gpt-17"/);
    expect(stderr).toMatch(/gpt-4o/);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(ANSWER);
  });

  it('a full window: a message that does not fit is reported, and a shorter one is answered', async () => {
    project.write({ 'long.txt': 'word '.repeat(20_000) });
    const mock = new LLMock({ port: 0 });
    mock.on({}, { content: ANSWER });
    const url = await mock.start();
    project.write({ 'config.yaml': `providers: {compatible: {box: {baseUrl: "${url}/v1", contextWindow: 4096}}}\n` });
    const args = ['--config', 'config.yaml', 'repl', '--name', 'hard', '--provider', 'box', '--model', 'gpt-4o'];
    const input = `${'word '.repeat(20_000)}\nread @long.txt\nand now?\n`;
    const { stdout, stderr } = await home.here(args, { cwd: project.root, input });
    const requests = mock.getRequests().flatMap(({ path, body }) => (/chat/.test(path) ? [body as object] : []));
    await mock.stop();
    expect(stderr).toMatch(/window/);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(ANSWER);
    expect(requests.flatMap(faultsOf)).toEqual([]);
  });
});
