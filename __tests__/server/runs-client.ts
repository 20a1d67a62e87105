// A client of `ollm serve` that runs where the agents reach nothing but their model server: node runs-client.ts AGENT
// PROMPTS. Starts the server, leads a session of the agent by its routes, kills the server and starts another one.
// Prints the answers as one JSON object.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const [agent = '', ollm = '', text = ''] = process.argv.slice(2);
const { plain, working, slow, model } = JSON.parse(text) as Record<string, string>;
const made = join(process.cwd(), 'made.txt');

async function serve() {
  const child = spawn(process.execPath, [ollm, 'serve', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Array.fromAsync(firstOf(createInterface({ input: child.stdout })));
  const { address, tokenFile } = JSON.parse(line!) as { address: string; tokenFile: string };
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  const ask = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): Promise<Answer> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${address}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const said = await answer.text();
    return { status: answer.status, ...(said.startsWith('{') ? JSON.parse(said) : { text: said }) };
  };
  return { child, address, authorization, ask };
}

async function* firstOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    yield line;
    return;
  }
}

interface Answer {
  readonly status: number;
  readonly text?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at its members
  readonly data?: any;
  readonly error?: object;
}

const report: Record<string, unknown> = {};
let server = await serve();
const at = `/api/llm/providers/${agent}/sessions`;
try {
  const begin = { model, workspacePath: process.cwd() };
  report.providers = await server.ask('/api/llm/providers');
  report.outside = await server.ask(`${at}/start`, { ...begin, prompt: plain, workspacePath: '/' });
  report.started = await server.ask(`${at}/start`, { ...begin, prompt: plain });
  const { sessionId } = (report.started as Answer).data as { sessionId: string };
  const session = `${at}/${encodeURIComponent(sessionId)}`;
  const events = follow(sessionId);
  // It waits for the end of the first one.
  report.first = await server.ask(`${session}/resume?wait=1`, { prompt: plain });
  const resumed = server.ask(`${session}/resume?wait=1`, { prompt: working });
  const asked = await question(sessionId);
  report.waiting = await server.ask(session);
  report.metrics = await server.ask('/metrics');
  const at2 = `/api/llm/sessions/${encodeURIComponent(sessionId)}/questions/${asked.id}`;
  report.wrongAnswer = await server.ask(at2, { decision: 'once', hash: 'f'.repeat(64) });
  report.before = existsSync(made);
  report.answered = await server.ask(at2, { decision: 'once', hash: asked.hash });
  report.secondAnswer = await server.ask(at2, { decision: 'no', hash: asked.hash });
  report.worked = await resumed;
  report.after = existsSync(made);
  report.question = asked;
  const refused = server.ask(`${session}/resume?wait=1`, { prompt: working, runtimePermissionMode: 'deny' });
  report.denied = await refused;
  report.unattended = await server.ask(`${session}/resume`, { prompt: working, runtimePermissionMode: 'allow' });
  const running = server.ask(`${session}/resume?wait=1`, { prompt: slow });
  await said(events, 'Port 1');
  report.stopped = await server.ask(`${session}/stop`, {});
  report.stoppedTurn = await running;
  report.listed = await server.ask(at);
  await server.ask(`${session}/resume`, { prompt: slow });
  await said(events, 'Port 1');
  report.queued = await server.ask(`${session}/resume`, { prompt: plain });
  await server.ask(`${session}/resume`, { prompt: working });
  const waiting = `/api/llm/sessions/${encodeURIComponent(sessionId)}`;
  const { queue } = (await server.ask(`${waiting}/activity`)).data as { queue: { promptId: string; text: string }[] };
  report.queue = queue.map((each) => each.text);
  report.removed = await server.ask(`${waiting}/queue/${queue.at(-1)!.promptId}`, undefined, 'DELETE');
  report.removedTwice = await server.ask(`${waiting}/queue/${queue.at(-1)!.promptId}`, undefined, 'DELETE');
  report.killed = await server.ask(session);
  server.child.kill('SIGKILL');
  await wait(500);
  server = await serve();
  report.afterKill = await server.ask(session);
  report.again = await server.ask(`${session}/resume?wait=1`, { prompt: plain });
  report.history = await server.ask(`/api/llm/sessions/${encodeURIComponent(sessionId)}/messages?limit=1000`);
  report.sessionId = sessionId;
} catch (error) {
  report.fault = String((error as Error).stack);
}
console.log(`REPORT ${JSON.stringify(report)}`);
const ended = new Promise((resolve) => server.child.on('exit', resolve));
server.child.kill('SIGTERM');
await ended;
process.exit();

async function question(sessionId: string): Promise<{ id: string; hash: string; sessionId: string }> {
  for (;;) {
    const { data } = await server.ask(`/api/llm/sessions/${encodeURIComponent(sessionId)}/questions`);
    if (data?.questions?.length > 0) return data.questions[0];
    await wait(50);
  }
}

/** The text of the events of a session until now. */
function follow(sessionId: string): { all: string; read: number } {
  const heard = { all: '', read: 0 };
  const { address, authorization } = server;
  void (async () => {
    const path = `${address}/api/llm/sessions/${encodeURIComponent(sessionId)}/events`;
    const answer = await fetch(path, { headers: { authorization } });
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) heard.all += decoder.decode(chunk, { stream: true });
  })().catch(() => undefined);
  return heard;
}

/** Resolves when the words come, live. */
async function said(heard: { all: string; read: number }, words: string): Promise<void> {
  const from = heard.all.length;
  while (!heard.all.slice(from).includes(words)) await wait(50);
}
