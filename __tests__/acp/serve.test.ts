// `ollm acp` as an editor meets it: the built program on standard input and output, asked by the client side of the
// protocol's own library.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { createHome, type Home, OLLM } from '../support/cli.ts';
import { until } from '../support/until.ts';

let home: Home;
let project: string;
const editors: Editor[] = [];

beforeEach(() => {
  home = createHome();
  // Tools write nothing in the home of ollm.
  project = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-acp-')));
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, 'notes.md'), 'The harbour light is green.\n');
});
afterEach(async () => {
  for (const editor of editors.splice(0)) await editor.close();
  home[Symbol.dispose]();
  rmSync(project, { recursive: true });
});

/** The choice of the user, as a kind of option; undefined cancels. */
type Choose = (request: RequestPermissionRequest) => PermissionOption['kind'] | undefined;

interface Editor {
  readonly agent: ClientConnection['agent'];
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  readonly questions: RequestPermissionRequest[];
  /** The exit code. */
  close(): Promise<number | null>;
}

function openEditor(choose: Choose = () => 'allow_once', env: Readonly<Record<string, string>> = {}): Editor {
  const child = spawn(process.execPath, [OLLM, 'acp', '--provider', 'offline'], {
    cwd: home.path,
    env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const updates: Editor['updates'] = [];
  const questions: RequestPermissionRequest[] = [];
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      const wanted = choose(params);
      const option = params.options.find(({ kind }) => kind === wanted);
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const editor = {
    agent: connection.agent,
    updates,
    questions,
    async close() {
      child.stdin.end();
      return exit;
    },
  };
  editors.push(editor);
  return editor;
}

const request = <Answer>(editor: Editor, method: string, params: object): Promise<Answer> =>
  editor.agent.request<Answer>(method, params);

async function begun(editor: Editor, mcpServers: readonly object[] = []): Promise<string> {
  await request(editor, methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const place = { cwd: project, mcpServers };
  return (await request<{ sessionId: string }>(editor, methods.agent.session.new, place)).sessionId;
}

const text = (words: string) => [{ type: 'text', text: words }];
const prompt = (editor: Editor, sessionId: string, content: readonly object[]) =>
  request<{ stopReason: string }>(editor, methods.agent.session.prompt, { sessionId, prompt: content });
const saidIn = ({ updates }: Editor, kind: SessionUpdate['sessionUpdate']) =>
  updates
    .map(({ update }) => ('content' in update && update.sessionUpdate === kind ? JSON.stringify(update.content) : ''))
    .join('');

const WRITE = text('file_write {"path":"light.ts","content":"export const colour = 1;\\n"}');

describe('ollm acp', () => {
  it('names its capabilities and the revision of the protocol', async () => {
    const editor = openEditor();
    const answer = await request(editor, methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    expect(answer).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'ollm' },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } },
    });
    expect(await editor.close()).toBe(0);
  });

  it('answers a prompt in a session that every other command sees', async () => {
    const editor = openEditor();
    const id = await begun(editor);
    expect(await prompt(editor, id, text('Which colour has the harbour light?'))).toEqual({ stopReason: 'end_turn' });
    expect(saidIn(editor, 'agent_message_chunk')).toContain('notes.md');
    expect(editor.updates.at(-1)?.update).toMatchObject({ sessionUpdate: 'session_info_update' });
    expect(await editor.close()).toBe(0);
    const { stdout } = await home.run(['show', id]);
    expect(stdout).toContain('Which colour has the harbour light?');
    expect((await home.run(['verify', id])).exitCode).toBe(0);
  });

  it('asks before a file is written, shows the diff, and writes only after a yes', async () => {
    const editor = openEditor(({ options }) => {
      expect(existsSync(join(project, 'light.ts'))).toBe(false);
      expect(options.map(({ kind }) => kind)).toContain('reject_once');
      return 'allow_once';
    });
    const id = await begun(editor);
    await prompt(editor, id, WRITE);
    const diff = {
      type: 'diff',
      path: join(project, 'light.ts'),
      oldText: null,
      newText: 'export const colour = 1;\n',
    };
    expect(editor.questions).toHaveLength(1);
    expect(editor.questions[0]!.toolCall).toMatchObject({ kind: 'edit', content: [diff] });
    expect(readFileSync(join(project, 'light.ts'), 'utf8')).toBe('export const colour = 1;\n');
    const states = editor.updates.flatMap(({ update }) => ('status' in update ? [update.status] : []));
    expect(states).toEqual(['pending', 'in_progress', 'completed']);
  });

  it.each([
    ['reject_once', 'failed'],
    [undefined, 'failed'],
  ] as const)('writes nothing after %s', async (choice, status) => {
    const editor = openEditor(() => choice);
    const id = await begun(editor);
    expect(await prompt(editor, id, WRITE)).toEqual({ stopReason: 'end_turn' });
    expect(existsSync(join(project, 'light.ts'))).toBe(false);
    expect(editor.updates.flatMap(({ update }) => ('status' in update ? [update.status] : [])).at(-1)).toBe(status);
  });

  it('writes unasked in the mode edits, and only reads in the mode plan', async () => {
    const editor = openEditor();
    const id = await begun(editor);
    await request(editor, methods.agent.session.setMode, { sessionId: id, modeId: 'edits' });
    await prompt(editor, id, WRITE);
    expect([existsSync(join(project, 'light.ts')), editor.questions]).toEqual([true, []]);
    await request(editor, methods.agent.session.setMode, { sessionId: id, modeId: 'plan' });
    await prompt(editor, id, text('file_write {"path":"dark.ts","content":"x"}'));
    expect([existsSync(join(project, 'dark.ts')), editor.questions]).toEqual([false, []]);
    await expect(request(editor, methods.agent.session.setMode, { sessionId: id, modeId: 'yolo' })).rejects.toThrow(
      'There is no mode yolo',
    );
  });

  it('shows a list of todos as a plan', async () => {
    const editor = openEditor();
    const id = await begun(editor);
    await prompt(editor, id, text('todo_write {"todos":[{"content":"Light it","status":"in_progress"}]}'));
    expect(editor.updates.map(({ update }) => update)).toContainEqual({
      sessionUpdate: 'plan',
      entries: [{ content: 'Light it', status: 'in_progress', priority: 'medium' }],
    });
  });

  it('sends a file that the editor names, and the text that it includes', async () => {
    const editor = openEditor();
    const id = await begun(editor);
    await prompt(editor, id, [
      ...text('What does it say? '),
      { type: 'resource_link', name: 'notes.md', uri: pathToFileURL(join(project, 'notes.md')).href },
      { type: 'resource', resource: { uri: 'file:///elsewhere/x.ts', text: 'const buoy = 2;' } },
      { type: 'resource_link', name: 'passwd', uri: 'file:///etc/passwd' },
    ]);
    const { stdout } = await home.run(['export', id, '--format', 'jsonl']);
    const [asked] = stdout.split('\n').filter((line) => line.includes('"role":"user"'));
    expect(asked).toContain('"name":"');
    expect(asked).toContain('const buoy = 2;');
    expect(JSON.parse(asked!).data.parts.filter(({ type }: { type: string }) => type === 'file')).toHaveLength(1);
  });

  it('lists sessions, loads one with its messages and calls, and continues', async () => {
    const first = openEditor();
    const id = await begun(first);
    await prompt(first, id, text('Which colour has the harbour light?'));
    await prompt(first, id, WRITE);
    await first.close();
    const second = openEditor();
    await request(second, methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    const { sessions } = await request<{ sessions: { sessionId: string; cwd: string }[] }>(
      second,
      methods.agent.session.list,
      { cwd: project },
    );
    expect(sessions.map(({ sessionId, cwd }) => [sessionId, cwd])).toEqual([[id, project]]);
    await request(second, methods.agent.session.load, { sessionId: id, cwd: project, mcpServers: [] });
    expect(saidIn(second, 'user_message_chunk')).toContain('Which colour has the harbour light?');
    expect(saidIn(second, 'agent_message_chunk')).toContain('notes.md');
    const kinds = second.updates.map(({ update }) => update.sessionUpdate);
    expect(kinds.filter((kind) => kind.startsWith('tool_call'))).toEqual(['tool_call', 'tool_call_update']);
    expect(await prompt(second, id, text('And now?'))).toEqual({ stopReason: 'end_turn' });
  });

  it('offers the tools of a server from the editor once the user agrees, and keeps its variables from programs', async () => {
    const server = join(home.path, 'server.mjs');
    writeFileSync(
      server,
      `import { McpServer } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server'))};
       import { StdioServerTransport } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server/stdio'))};
       const server = new McpServer({ name: 'buoys', version: '1' });
       server.registerTool('count', { description: 'Counts buoys' }, async () => ({ content: [{ type: 'text', text: 'buoys: ' + process.env.BUOYS }] }));
       await server.connect(new StdioServerTransport());`,
    );
    const editor = openEditor(({ toolCall }) =>
      toolCall.toolCallId.startsWith('offer') ? 'allow_always' : 'allow_once',
    );
    const id = await begun(editor, [
      { name: 'buoys', command: process.execPath, args: [server], env: [{ name: 'BUOYS', value: 'seven' }] },
    ]);
    await prompt(editor, id, text('mcp__buoys__count {}'));
    expect(editor.questions[0]!.toolCall).toMatchObject({ title: expect.stringContaining('count') });
    expect(saidIn(editor, 'tool_call_update')).toContain('buoys: seven');
    await prompt(editor, id, text('bash {"command":"echo value=$BUOYS."}'));
    expect(saidIn(editor, 'tool_call_update')).toContain('value=.');
  });

  it('cancels a running turn, and takes the next prompt', async () => {
    const editor = openEditor();
    const id = await begun(editor);
    const turn = prompt(editor, id, text('bash {"command":"sleep 600"}'));
    const isRunning = () => editor.updates.some(({ update }) => 'status' in update && update.status === 'in_progress');
    await until(isRunning);
    await expect(prompt(editor, id, text('another'))).rejects.toThrow('A turn of this session runs');
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: id });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect(await prompt(editor, id, text('Which colour?'))).toEqual({ stopReason: 'end_turn' });
  });

  it.each([
    ['session/prompt', { sessionId: 'nowhere', prompt: text('x') }, 'not open here'],
    ['session/load', { sessionId: 'nowhere', cwd: '/', mcpServers: [] }, 'no session'],
    ['session/new', { cwd: 'relative', mcpServers: [] }, 'not an absolute path'],
    [
      'session/new',
      { cwd: '/', mcpServers: [{ type: 'sse', name: 'x', url: 'http://127.0.0.1:9', headers: [] }] },
      'uses sse',
    ],
    ['session/list', { cursor: 'x' }, 'not a cursor'],
  ])('reports the fault of %s %j, and continues', async (method, params, words) => {
    const editor = openEditor();
    const id = await begun(editor);
    await expect(request(editor, method, params)).rejects.toThrow(words);
    expect(await prompt(editor, id, text('Which colour?'))).toEqual({ stopReason: 'end_turn' });
  });
});
