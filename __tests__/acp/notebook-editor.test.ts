// `ollm acp` in the editor of marimo's notebooks: its own client of the protocol, in a browser, over a web socket.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { createHome, OLLM } from '../support/cli.ts';
import { CHROMIUM, limitWaits, QUIET } from '../support/page-in-browser.ts';

const folder = join(PROGRAMS_FOLDER, 'marimo');
const WRITE = 'file_write {"path":"light.txt","content":"green\\n"}';
/** A page around the editor's client: the result of its hook is `acp` of the window. */
const EDITOR = `
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  import { useAcpClient } from 'use-acp';
  function App() {
    window.acp = useAcpClient({ wsUrl: window.address });
    return null;
  }
  createRoot(document.body).render(createElement(App));
`;

interface Socket {
  send(text: string): void;
  on(name: 'message' | 'close', listener: (data: Buffer) => void): void;
}

/** The part of the hook's result that is used here. */
interface Client {
  readonly agent: {
    initialize(request: object): Promise<{ protocolVersion: number }>;
    newSession(request: object): Promise<{ sessionId: string }>;
    prompt(request: object): Promise<{ stopReason: string }>;
  } | null;
  readonly connectionState: { readonly status: string };
  readonly pendingPermission: { readonly options: readonly { optionId: string; kind: string }[] } | null;
  readonly notifications: readonly unknown[];
  resolvePermission(response: object): void;
}

declare const window: { address: string; acp?: Client; stopped?: string };

if (CHROMIUM === undefined || !existsSync(join(folder, '.version')))
  it.skip('the editor of marimo (skipped without Chromium, or where it is not installed: run .ci/install-agents)', () => {});
else {
  let browser: Browser;
  let script: string;
  beforeAll(async () => {
    const options = {
      bundle: true,
      write: false,
      format: 'iife',
      define: { 'process.env.NODE_ENV': '"production"' },
    } as const;
    const built = await build({ ...options, stdin: { contents: EDITOR, resolveDir: folder } });
    script = built.outputFiles[0]!.text;
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: QUIET });
  });
  afterAll(() => browser.close());

  /** Each web socket has an agent of its own, as with the editor's bridge. */
  const bridgeTo = async (start: () => ChildProcessWithoutNullStreams) => {
    const { WebSocketServer } = createRequire(join(folder, 'package.json'))('ws');
    const agents: ChildProcessWithoutNullStreams[] = [];
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket: Socket) => {
      const agent = start();
      agents.push(agent);
      agent.stdout.on('data', (bytes: Buffer) => socket.send(bytes.toString()));
      socket.on('message', (data) => agent.stdin.write(`${data.toString().trimEnd()}\n`));
      socket.on('close', () => agent.stdin.end());
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const ended = (agent: ChildProcessWithoutNullStreams) =>
      agent.exitCode !== null ? undefined : new Promise((resolve) => agent.once('exit', resolve));
    return {
      address: `ws://127.0.0.1:${server.address().port}`,
      close: async () => {
        server.close();
        await Promise.all(agents.map(ended));
      },
    };
  };

  /** Opens the editor's client in a session of a project with one file. */
  const withEditor = async (work: (page: Page, project: string) => Promise<void>) => {
    using home = createHome();
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-notebook-')));
    const env = { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path };
    const words = [OLLM, 'acp', '--provider', 'offline'];
    const bridge = await bridgeTo(() => spawn(process.execPath, words, { cwd: project, env }));
    const page = await browser.newPage();
    limitWaits(page);
    try {
      mkdirSync(join(project, '.git'));
      writeFileSync(join(project, 'notes.md'), 'The harbour light is green.\n');
      await page.evaluate((address) => {
        window.address = address;
      }, bridge.address);
      await page.addScriptTag({ content: script });
      await page.waitForFunction(() => window.acp?.connectionState.status === 'connected' && window.acp.agent !== null);
      await work(page, project);
    } finally {
      await page.close();
      await bridge.close();
      rmSync(project, { recursive: true });
    }
  };

  const begin = (page: Page, cwd: string) =>
    page.evaluate(async (directory) => {
      const agent = window.acp!.agent!;
      await agent.initialize({ protocolVersion: 1, clientCapabilities: {} });
      return (await agent.newSession({ cwd: directory, mcpServers: [] })).sessionId;
    }, cwd);

  it('begins a session, and shows the answer to a prompt', async () => {
    await withEditor(async (page, project) => {
      const sessionId = await begin(page, project);
      const stopReason = await page.evaluate(async (id) => {
        const prompt = [{ type: 'text', text: 'Where is the harbour light?' }];
        return (await window.acp!.agent!.prompt({ sessionId: id, prompt })).stopReason;
      }, sessionId);
      expect(stopReason).toBe('end_turn');
      await page.waitForFunction(() => JSON.stringify(window.acp!.notifications).includes('harbour light is green'));
    });
  });

  it.each([
    ['allow_once', 'green\n'],
    ['reject_once', undefined],
  ])('asks in the editor with a diff, and obeys %s', async (kind, content) => {
    await withEditor(async (page, project) => {
      const sessionId = await begin(page, project);
      await page.evaluate(
        ([id, text]) => {
          const prompt = [{ type: 'text', text }];
          void window.acp!.agent!.prompt({ sessionId: id, prompt }).then(({ stopReason }) => {
            window.stopped = stopReason;
          });
        },
        [sessionId, WRITE] as const,
      );
      await page.waitForFunction(() => window.acp!.pendingPermission !== null);
      expect(await page.evaluate(() => JSON.stringify(window.acp!.pendingPermission))).toContain('"type":"diff"');
      await page.evaluate((chosen) => {
        const { optionId } = window.acp!.pendingPermission!.options.find((option) => option.kind === chosen)!;
        window.acp!.resolvePermission({ outcome: { outcome: 'selected', optionId } });
      }, kind);
      await page.waitForFunction(() => window.stopped !== undefined);
      expect(await page.evaluate(() => window.stopped)).toBe('end_turn');
      const written = join(project, 'light.txt');
      expect(existsSync(written) ? readFileSync(written, 'utf8') : undefined).toBe(content);
    });
  });
}
