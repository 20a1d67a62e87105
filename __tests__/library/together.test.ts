// The services together, as in use: the REPL, real files and programs, and a model on 127.0.0.1 that answers as told
// and keeps its requests.
import { readFileSync } from 'node:fs';
import { type ModelReply, startToolModel } from '../repl/tool-model.ts';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { confined, describeConfined } from '../tools/program-world.ts';

let home: Home;
let project: Tree;
beforeEach(() => {
  home = createHome();
  project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes.md': 'The port is 4711.\n' });
});
afterEach(() => {
  project[Symbol.dispose]();
  home[Symbol.dispose]();
});

interface Talk {
  readonly replies: readonly ModelReply[];
  readonly lines: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** The answers of the REPL, and the bodies of the requests that the model got, in order. */
async function talk({ replies, lines, env = {}, flags = [] }: Talk) {
  await using model = await startToolModel(...replies);
  const args = ['repl', '--provider', 'ollama', '--name', 'talk', ...flags];
  const input = lines.map((line) => `${line}\n`).join('');
  const result = await home.here(args, { input, env: { OLLAMA_HOST: model.url, ...env }, cwd: project.root });
  const asked = model.requests.filter(({ path }) => path === '/api/chat').map(({ body }) => JSON.stringify(body));
  return { ...result, said: result.stdout + result.stderr, asked };
}

async function events(type: string) {
  const { stdout } = await home.here(['tail', 'talk', '-n', 'all', '--json', '--type', type]);
  return parseLines(stdout) as { seq: number; data: Record<string, unknown> }[];
}

const call = (name: string, args: Record<string, unknown>): ModelReply => ({ calls: [{ name, args }] });
const answer = (text: string): ModelReply => ({ text });
const longLine = (turn: number) => `${turn}: ${'some more words to fill the window '.repeat(70)}`;

describe('recording and compression together', () => {
  const SMALL = { OLLM_PROVIDERS__OLLAMA__CONTEXT_LENGTH: '6000', OLLM_SERVICES__COMPRESSION__PRESERVE_RECENT: '200' };

  it('keep a long conversation whole, and continue from the summary after a restart, and the summarized messages can be read', async () => {
    const first = await talk({
      replies: [answer('Noted.')],
      lines: ['The launch code word is marigold-77.', ...[1, 2, 3, 4, 5, 6, 7].map(longLine)],
      env: SMALL,
    });
    expect(first.said).toMatch(/older messages were summarized: \d+ tokens became \d+\./);
    const messages = (await events('message.added')).filter(({ data }) => data.role !== 'system');
    expect(messages).toHaveLength(2 * 8);
    expect((await home.here(['verify', 'talk'])).exitCode).toBe(0);
    const snapshot = JSON.parse(readFileSync(`${home.sessions}/talk.json`, 'utf8'));
    expect(snapshot.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      ...Array.from({ length: 8 }, () => ['user', 'assistant']).flat(),
    ]);
    expect(snapshot.metadata.compressionCount).toBe((await events('compaction.completed')).length);

    const second = await talk({
      replies: [call('history_read', { query: 'launch code word' }), answer('It is marigold-77.')],
      lines: ['Which code word was it?'],
    });
    const [request, withHistory] = second.asked;
    expect(request).toContain('Earlier in this conversation');
    expect(request).not.toContain('1: some more words');
    expect(withHistory).toContain('The launch code word is marigold-77.');
    const [finished] = await events('tool.finished');
    expect(finished?.data).toMatchObject({ status: 'ok', trusted: false });
  });
});

describe('loop detection and the turn together', () => {
  it('stop a model that repeats a call, say why, and continue when the user says so', async () => {
    const { asked, said, exitCode } = await talk({
      replies: [call('file_read', { path: 'notes.md' })],
      lines: ['Read the notes.'],
    });
    expect(asked).toHaveLength(3);
    expect(said).toMatch(/file_read[\s\S]*\/loop off/);
    expect(exitCode).toBe(6);
    expect((await events('loop.detected')).map(({ data }) => data.pattern)).toEqual(['repeated-tool']);
    const again = await talk({ replies: [answer('The port is 4711.')], lines: ['Go on.'] });
    expect(again.exitCode).toBe(0);
  });
});

describe('context and prompts together', () => {
  it('send the entries of the user, a hook and the project, sorted by importance, until they are removed', async () => {
    const hook = createTree({
      rota: '#!/bin/sh\necho \'{"context":[{"key":"rota","content":"Anna is on call."}]}\'\n',
    });
    project.write({ 'AGENTS.md': 'Speak plainly.\n' });
    const { asked } = await talk({
      replies: [answer('Good.')],
      lines: [
        '/context add style Answer in verse. --priority 90',
        'first',
        '/context rm style',
        '/context rm rota',
        'second',
      ],
      env: { OLLM_HOOKS__SESSION_START: `sh ${hook.root}/rota` },
      flags: ['--context'],
    });
    hook[Symbol.dispose]();
    const [first = '', second = ''] = asked;
    for (const text of ['Answer in verse.', 'Anna is on call.', 'Speak plainly.']) expect(first).toContain(text);
    expect(first.indexOf('Answer in verse.')).toBeLessThan(first.indexOf('Anna is on call.'));
    expect(second).not.toContain('Answer in verse.');
    expect(second).not.toContain('Anna is on call.');
    expect(second).toContain('Speak plainly.');
  });
});

describe('discovery and tools together', () => {
  it('list and search files that are not ignored, and no others', async () => {
    project.write({
      '.gitignore': '*.secret\nout/\n',
      '.ollmignore': 'drafts/\n',
      'src/a.ts': 'needle\n',
      'src/b.secret': 'needle\n',
      'out/c.ts': 'needle\n',
      'drafts/d.ts': 'needle\n',
      'node_modules/e.ts': 'needle\n',
    });
    await talk({
      replies: [call('list_files', {}), call('search_files', { query: 'needle' }), answer('One.')],
      lines: ['Where is the needle?'],
    });
    const outputs = (await events('tool.finished')).map(({ data }) => JSON.stringify(data.result));
    expect(outputs).toHaveLength(2);
    for (const output of outputs) {
      expect(output).toContain('src/a.ts');
      for (const ignored of ['b.secret', 'c.ts', 'd.ts', 'e.ts']) expect(output).not.toContain(ignored);
    }
  });
});

describeConfined(`sanitization and the shell, ${confined}`, () => {
  it('give a command the core variables, and none that is secret by name or by value', async () => {
    await talk({
      replies: [
        call('bash', { command: 'env | cut -d= -f1 | sort; echo "[$DEPLOY_TOKEN] [$HARMLESS]"' }),
        answer('So.'),
      ],
      lines: ['What is in the environment?'],
      env: {
        OLLM_TOOLS__ALLOW: 'bash(*)',
        DEPLOY_TOKEN: 'a-token-for-deployment',
        HARMLESS: `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`,
        PAGER: 'less',
      },
    });
    const [finished] = await events('tool.finished');
    const output = JSON.stringify(finished?.data.result);
    expect(finished?.data.status).toBe('ok');
    for (const name of ['PATH', 'HOME']) expect(output).toContain(`${name}\\n`);
    for (const name of ['DEPLOY_TOKEN', 'CANARY_TOKEN', 'HARMLESS']) expect(output).not.toContain(`${name}\\n`);
    expect(output).toContain('[] []');
    const [started] = await events('tool.started');
    expect(started?.data.envRemoved).toEqual(expect.arrayContaining(['DEPLOY_TOKEN', 'CANARY_TOKEN', 'HARMLESS']));
  });
});
