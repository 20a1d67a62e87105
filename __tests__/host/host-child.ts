// A server of its own process, for tests that kill it: prompts one turn after the other in a session, and prints the id
// of each event that a client of it is sent. argv: JSON of { env, cwd, id, after, waiting, killsItself }; `waiting`:
// prompts that are queued after the first, instead of one after the end of each; `killsItself`: as soon as the first
// prompt was accepted, in the same step.
// stdout: `session ID`, then `accepted ID`, `event ID TYPE` and `question` lines.
import { openHost } from '../../lib/host/open-host.ts';

const { env, cwd, id, after, waiting, killsItself } = JSON.parse(process.argv[2]!) as {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly id?: string;
  readonly after?: string;
  readonly waiting?: readonly string[];
  readonly killsItself?: boolean;
};
const say = (line: string) => process.stdout.write(`${line}\n`);

const host = await openHost({ env, cwd, flags: { provider: 'ollama' } });
const sessionId = id ?? (await host.sessions.start({ text: 'first' })).sessionId;
say(`session ${sessionId}`);
if (killsItself) process.kill(process.pid, 'SIGKILL');
if (waiting === undefined) void prompt();
for (const text of waiting ?? []) say(`accepted ${(await host.sessions.prompt(sessionId, { text })).promptId}`);
for await (const items of host.followers.subscribe(sessionId, {
  after: after ?? 'start',
  signal: new AbortController().signal,
})) {
  for (const item of items) {
    if (item.kind === 'event') say(`event ${item.id} ${item.type}`);
    if (item.kind === 'signal' && item.type === 'question') say('question');
  }
}

async function prompt(): Promise<void> {
  for (;;) {
    await host.sessions.wait(sessionId);
    await host.sessions.prompt(sessionId, { text: 'go on' });
  }
}
