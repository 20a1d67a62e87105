// Makes the recordings in docs/recording: real sessions on a pseudo-terminal, typed by this script. The model is a
// server on this machine that says its lines. Run "npm run build && node .ci/record.ts" when the looks change, followed
// by the names of those to make. Look at each of them.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import { createRecorder, type Recorder } from './record-screen.ts';
import { type Reply, SCENES, type Scene, WEB_HOST } from './scenes.ts';

const ROOT = join(import.meta.dirname, '..');
const SIZE = { columns: 84, rows: 26 };
const KEY_MS = 45;
const WORD_MS = 55;
const PATIENCE_MS = 60_000;
const SHELL = /\$ $/;
const GREET = "export function greet(name: string): string {\n  return 'hi ' + name;\n}\n";

const wanted = process.argv.slice(2);
for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = mkdtempSync(join(tmpdir(), 'ollm-recording-'));
  const { page } = scene;
  const model = await listening(modelOf(scene.replies), 0);
  const web =
    page &&
    (await listening((_, response) => sent(response, 'text/html', page), Number(new URL(`http://${WEB_HOST}`).port)));
  try {
    const drawn = await record(scene, folder, (model.address() as AddressInfo).port);
    writeFileSync(join(ROOT, 'docs/recording', `${name}.svg`), drawn);
  } finally {
    model.close();
    if (web) web.close();
    // What ran there may still be ending.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function record({ label, files, own, isLight, play }: Scene, folder: string, port: number): Promise<string> {
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const write = (root: string, contents: Readonly<Record<string, string>> = {}) => {
    for (const [name, content] of Object.entries(contents)) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content, { mode: path.endsWith('.sh') ? 0o755 : 0o600 });
    }
  };
  write(project, { 'src/greet.ts': GREET, ...files });
  write(folder, { ...own, rc: `PS1='$ '\nollm() { '${process.execPath}' '${ROOT}/bin/ollm.js' "$@"; }\n` });
  const shell = pty.spawn('bash', ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'], {
    cols: SIZE.columns,
    rows: SIZE.rows,
    cwd: project,
    env: {
      TERM: 'xterm-256color',
      PATH: process.env.PATH,
      HOME: folder,
      EDITOR: join(folder, 'editor.sh'),
      OLLAMA_HOST: `http://127.0.0.1:${port}`,
    },
  });
  const recorder = createRecorder(SIZE);
  shell.onData((text) => recorder.write(text.replaceAll(folder, '/home/me').replaceAll(`:${port};`, ':11434;')));
  const press = async (keys: Iterable<string>) => {
    for (const key of keys) {
      shell.write(key);
      await setTimeout(KEY_MS);
    }
  };
  await shows(recorder, SHELL);
  for (const [input, ...after] of play) {
    if (typeof input === 'string') {
      await press(input);
      await setTimeout(300);
      shell.write('\r');
    } else if ('columns' in input) {
      recorder.resize(input.columns);
      shell.resize(input.columns, SIZE.rows);
    } else for (const keys of input) await press(keys.startsWith('\x1b') ? [keys] : keys);
    for (const each of after) await (typeof each === 'number' ? setTimeout(each) : shows(recorder, each));
  }
  await setTimeout(3500);
  recorder.write('');
  shell.kill('SIGKILL');
  return recorder.toSvg(label, { isLight });
}

async function shows(recorder: Recorder, pattern: RegExp): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!pattern.test(recorder.text())) {
    if (performance.now() > deadline) throw new Error(`It never came to ${pattern}:\n${recorder.text()}`);
    await setTimeout(20);
  }
}

async function listening(listener: RequestListener, port: number): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function sent(response: ServerResponse, type: string, text: string): void {
  response.setHeader('content-type', type).end(text);
}

/** An Ollama that answers word by word. */
function modelOf(replies: readonly Reply[]): RequestListener {
  let asked = 0;
  return async (request, response) => {
    const json = (value: object) => sent(response, 'application/json', JSON.stringify(value));
    for await (const _ of request);
    if (request.url === '/api/tags') return json({ models: [{ name: 'qwen3:8b', size: 1 }] });
    if (request.url !== '/api/chat') {
      const model_info = { 'general.architecture': 'qwen3', 'qwen3.context_length': 32_768 };
      return json({ model_info, capabilities: ['completion', 'tools'] });
    }
    const reply = replies[Math.min(asked++, replies.length - 1)]!;
    if (reply === 'busy') {
      response.statusCode = 503;
      return json({ error: 'server busy' });
    }
    const line = (message: object, more: object = { done: false }) =>
      response.write(`${JSON.stringify({ message: { role: 'assistant', content: '', ...message }, ...more })}\n`);
    response.setHeader('content-type', 'application/x-ndjson');
    await setTimeout(900);
    for (const content of reply.text.match(/\s*\S+/g) ?? []) {
      line({ content });
      await setTimeout(WORD_MS);
    }
    line(reply.call === undefined ? {} : { tool_calls: [{ function: reply.call }] });
    line({}, { done: true, done_reason: 'stop', prompt_eval_count: 1900, eval_count: 70 });
    response.end();
  };
}
