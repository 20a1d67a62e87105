// Makes docs/recording/session.svg, which the README shows: a real session on a pseudo-terminal, typed by this script.
// The model is a server on this machine that says its lines. Run "npm run build && node .ci/record.ts" when the looks
// change.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { createRecorder, type Recorder } from './record-screen.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = join(ROOT, 'docs', 'recording', 'session.svg');
const SIZE = { columns: 84, rows: 26 };
const KEY_MS = 45;
const WORD_MS = 55;
const PATIENCE_MS = 20_000;

const GREET = "export function greet(name: string): string {\n  return 'hi ' + name;\n}\n";
const CALL = {
  name: 'file_edit',
  arguments: { path: 'src/greet.ts', old_string: "return 'hi '", new_string: "return 'Good day, '" },
};
/** What the model does, request by request. */
const REPLIES: readonly { readonly text: string; readonly call?: typeof CALL }[] = [
  { text: 'One line in `src/greet.ts` greets people. I will make it polite.', call: CALL },
  {
    text: '**Done.** `greet("Ada")` now says:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\nNothing else uses the old words.',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'ollm-recording-'));
const model = startModel();
try {
  writeFileSync(FILE, await record(await model.port));
} finally {
  model.close();
  rmSync(folder, { recursive: true, force: true });
}

async function record(port: number): Promise<string> {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, 'src', 'greet.ts'), GREET);
  writeFileSync(join(folder, 'rc'), `PS1='$ '\nollm() { '${process.execPath}' '${ROOT}/bin/ollm.js' "$@"; }\n`);
  const shell = pty.spawn('bash', ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'], {
    cols: SIZE.columns,
    rows: SIZE.rows,
    cwd: project,
    env: {
      TERM: 'xterm-256color',
      PATH: process.env.PATH,
      HOME: folder,
      OLLAMA_HOST: `http://127.0.0.1:${port}`,
    },
  });
  const recorder = createRecorder(SIZE);
  shell.onData((text) => recorder.write(text.replaceAll(folder, '/home/me').replaceAll(`:${port};`, ':11434;')));
  const type = async (text: string) => {
    for (const key of text) {
      shell.write(key);
      await setTimeout(KEY_MS);
    }
    await setTimeout(300);
    shell.write('\r');
  };
  await shows(recorder, /\$ $/);
  await type('ollm repl --name greeting');
  await shows(recorder, /\n> $/);
  await setTimeout(700);
  await type('Make greet() polite');
  await shows(recorder, /\[y\]es/);
  await setTimeout(2200);
  shell.write('y');
  await shows(recorder, /old words\.[\s\S]*\n> $/);
  await setTimeout(2500);
  await type('/quit');
  await shows(recorder, /is kept[\s\S]*\$ $/);
  await type('ollm audit greeting | head -4');
  await shows(recorder, /head -4\n[\s\S]*\$ $/);
  await setTimeout(800);
  await type('ollm verify greeting');
  await shows(recorder, /greeting: [\s\S]*\$ $/);
  await setTimeout(3500);
  recorder.write('');
  shell.kill('SIGKILL');
  return recorder.toSvg();
}

async function shows(recorder: Recorder, pattern: RegExp): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!pattern.test(recorder.text())) {
    if (performance.now() > deadline) throw new Error(`It never came to ${pattern}:\n${recorder.text()}`);
    await setTimeout(20);
  }
}

/** An Ollama that answers word by word. */
function startModel() {
  let asked = 0;
  const json = (response: ServerResponse, value: object) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.url === '/api/tags') return json(response, { models: [{ name: 'qwen3:8b', size: 1 }] });
    if (request.url !== '/api/chat') {
      const model_info = { 'general.architecture': 'qwen3', 'qwen3.context_length': 32_768 };
      return json(response, { model_info, capabilities: ['completion', 'tools'] });
    }
    const reply = REPLIES[Math.min(asked++, REPLIES.length - 1)]!;
    const line = (value: object) => response.write(`${JSON.stringify(value)}\n`);
    response.setHeader('content-type', 'application/x-ndjson');
    await setTimeout(900);
    for (const content of reply.text.match(/\s*\S+/g) ?? []) {
      line({ message: { role: 'assistant', content }, done: false });
      await setTimeout(WORD_MS);
    }
    const tool_calls = reply.call === undefined ? {} : { tool_calls: [{ function: reply.call }] };
    line({ message: { role: 'assistant', content: '', ...tool_calls }, done: false });
    line({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 1900,
      eval_count: 70,
    });
    response.end();
  });
  const port = new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  return { port, close: () => server.close() };
}
