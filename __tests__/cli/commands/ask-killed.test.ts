// `ollm ask` and the REPL, killed while a slow model of the loopback interface answers: real processes, real SIGKILL.
import { existsSync, readFileSync } from 'node:fs';
import type { Part } from '../../../lib/messages/index.ts';
import { createHome, type Home } from '../../support/cli.ts';
import { type FaultServer, type Step, startFaultServer } from '../../support/fault-server.ts';
import { until } from '../../support/until.ts';

interface Line {
  readonly seq: number;
  readonly type: string;
  readonly data: { readonly role?: string; readonly finish?: string; readonly status?: string; readonly parts: Part[] };
}

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const json = (value: object) => ({ type: 'application/json', steps: [JSON.stringify(value)] });
const says = (content: string): string =>
  `${JSON.stringify({ message: { role: 'assistant', content }, done: false })}\n`;
const END = `${JSON.stringify({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })}\n`;

/** An Ollama that answers the first question in steps, and each further one with “Gladly.” */
function slowModel(steps: readonly Step[]): Promise<FaultServer> {
  return startFaultServer({
    '/api/tags': json({ models: [{ name: 'slow:latest', size: 1 }] }),
    '/api/show': json({ model_info: { 'general.architecture': 'x', 'x.context_length': 4096 } }),
    '/api/chat': [{ steps }, { steps: [says('Gladly.'), END] }],
  });
}

function linesOf(home: Home): Line[] {
  const path = home.journal('oak');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

function textOf(lines: readonly Line[]): string {
  return lines.flatMap(({ data }) => data.parts.map((part) => (part.type === 'text' ? part.text : ''))).join('');
}

const piecesOf = (home: Home) => linesOf(home).filter(({ type }) => type === 'message.streamed');

describe.each(['ask', 'repl'])('ollm %s, killed while an answer streams', (command) => {
  it('keeps the stored part of the answer, exports it, sends it to the model, and reports the interruption once', async () => {
    using home = createHome();
    const stored = (count: number) => until(() => piecesOf(home).length >= count);
    const steps: Step[] = [
      says('The word is '),
      says(SECRET.slice(0, 12)),
      { until: until(() => piecesOf(home).length >= 1) },
      says(`${SECRET.slice(12)} and the rest `),
      { until: until(() => piecesOf(home).length >= 2) },
      says('is never heard'),
      { fault: 'stall' },
    ];
    await using model = await slowModel(steps);
    const at = { env: { OLLAMA_HOST: model.url } };
    const flags = ['--provider', 'ollama', '--model', 'slow'];
    const child =
      command === 'ask'
        ? home.start(['ask', '--name', 'oak', ...flags, 'Tell me.'], at)
        : home.start(['repl', '--name', 'oak', ...flags], at);
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin?.on('error', () => {});
    if (command === 'repl') child.stdin?.write('Tell me.\n');
    else child.stdin?.end();
    await stored(1);
    const tail = home.start(['tail', 'oak', '-f', '--type', 'message.*']);
    let followed = '';
    tail.stdout?.setEncoding('utf8').on('data', (more: string) => {
      followed += more;
    });
    await stored(2);
    await until(() => followed.includes(' and the rest'));
    tail.kill('SIGKILL');
    child.kill('SIGKILL');
    await ended;

    const said = 'The word is [redacted github-token 40] and the rest ';
    expect(textOf(piecesOf(home))).toBe(said);
    expect((await home.here(['export', 'oak', '--format', 'md'])).stdout).toContain(said.trim());
    expect((await home.here(['verify', 'oak'])).exitCode).toBe(0);

    const next = await home.here(['ask', '--resume', 'oak', 'Go on.'], at);
    expect(next).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Gladly.') });
    const { messages } = model.requests.filter(({ path }) => path === '/api/chat').at(-1)!.body as {
      messages: { role: string; content: string }[];
    };
    expect(messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([said]);
    const lines = linesOf(home);
    const message = lines.find(({ type, data }) => type === 'message.added' && data.role === 'assistant');
    expect(message?.data).toMatchObject({ finish: 'failed', parts: [{ type: 'text', text: said }] });
    expect(lines.filter(({ type }) => type === 'turn.ended').map(({ data }) => data.status)).toEqual([
      'interrupted',
      'completed',
    ]);
    const { stdout } = await home.here(['export', 'oak', '--format', 'md']);
    expect(stdout.split('The word is').length).toBe(2);
    expect(readFileSync(home.journal('oak'), 'utf8')).not.toContain(SECRET.slice(0, 12));
    expect((await home.here(['verify', 'oak', '--deep'])).exitCode).toBe(0);
  });
});
