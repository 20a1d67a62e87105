// A disk that fills up while a model answers, under the real program: through pipes and in a terminal. Stored events
// stay, refused ones are reported immediately, and when there is room again the conversation continues.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';
import { openWorkshop } from './child.ts';
import { whileMounted } from './fault-cases.ts';
import { openStore } from './ledger.ts';
import { describeWith } from './needs.ts';

const PATIENCE_MS = 300_000;
const PROMPT = /^>( |$)/;
const BEGINNING = 'The beginning of an answer';
/** More than the rest of the last page of a journal. */
const LONG = Array.from({ length: 600 }, (_, index) => createHash('sha1').update(`${index}`).digest('hex')).join(' ');
/** Room for turns to begin, and little enough to be filled quickly. */
const TMPFS = ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'ollm-lab'];

/** An Ollama that begins each answer, and goes on when it is told to. */
async function startPatientModel() {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const says = (content: string) => line({ message: { role: 'assistant', content }, done: false });
  let goOn = () => {};
  let isAsked = () => {};
  let asked = Promise.resolve();
  const expectQuestion = () => {
    asked = new Promise((resolve) => {
      isAsked = resolve;
    });
  };
  expectQuestion();
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    if (request.url === '/api/tags')
      return void response.end(JSON.stringify({ models: [{ name: 'slow:latest', size: 1 }] }));
    if (request.url !== '/api/chat') return void response.end('{}');
    response.setHeader('content-type', 'application/x-ndjson');
    response.write(says(BEGINNING));
    isAsked();
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    response.end(says(LONG) + line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when the next answer has begun. */
    async asked() {
      await asked;
      expectQuestion();
    },
    goOn: () => goOn(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Scene {
  readonly home: Home;
  readonly sessions: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: Awaited<ReturnType<typeof startPatientModel>>;
  fillDisk(): void;
  freeDisk(): void;
}

async function onSmallDisk(work: (scene: Scene) => Promise<void>): Promise<void> {
  using workshop = openWorkshop();
  using home = createHome();
  await using model = await startPatientModel();
  await whileMounted(workshop, TMPFS, async (mount) => {
    const filler = join(mount, 'filler');
    const sessions = join(mount, 'sessions');
    const env = { OLLM_SERVICES__SESSION__DATA_DIR: sessions, OLLAMA_HOST: model.url };
    await work({
      home,
      sessions,
      env,
      model,
      fillDisk: () => {
        const { bavail, bsize } = statfsSync(mount);
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      },
      freeDisk: () => rmSync(filler),
    });
  });
}

const REPL = ['repl', '--provider', 'ollama', '--model', 'slow', '--name', 'talk'];

/** The question before and the one after are stored, and nothing is damaged. */
async function checkJournal(sessions: string): Promise<void> {
  const reader = openStore(sessions).openReader('talk');
  expect((await reader.verify()).damaged).toBe(0);
  reader.close();
  const journal = readFileSync(join(sessions, 'talk.jsonl'), 'utf8');
  expect(journal).toContain('the first question');
  expect(journal).toContain('the second question');
  expect(journal.split(LONG.slice(0, 1000))).toHaveLength(2);
}

describeWith('mounts', 'a disk that fills up during a turn', () => {
  it('through pipes: a full disk is reported immediately, exits with 9, and the next turn works when there is room', async () => {
    await onSmallDisk(async ({ home, sessions, env, model, fillDisk, freeDisk }) => {
      const child = home.start(REPL, { env });
      using _ended = { [Symbol.dispose]: () => void child.kill('SIGKILL') };
      const told = { stdout: '', stderr: '' };
      const hears = async (name: 'stdout' | 'stderr', text: string) => {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        while (!told[name].includes(text)) {
          await once(child[name]!, 'data', { signal }).catch(() => {
            throw new Error(`${JSON.stringify(text)} did not come. ${told.stdout.slice(-500)}\n${told.stderr}`);
          });
        }
      };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]!.setEncoding('utf8').on('data', (text: string) => {
          told[name] += text;
        });
      }
      child.stdin!.write('the first question\n');
      await model.asked();
      fillDisk();
      model.goOn();
      await hears('stderr', 'There is no room for more in journal talk');
      expect(told.stderr).toContain('Free some space and try again');
      freeDisk();
      child.stdin!.write('the second question\n');
      await model.asked();
      model.goOn();
      child.stdin!.end();
      const [exitCode] = (await once(child, 'close')) as [number];
      expect(exitCode).toBe(9);
      await checkJournal(sessions);
    });
  });

  it('in a terminal: a full disk is shown on the screen, and the conversation continues when there is room', async () => {
    await onSmallDisk(async ({ home, sessions, env, model, fillDisk, freeDisk }) => {
      await using terminal = openTerminal(process.execPath, [OLLM, ...REPL], {
        columns: 100,
        rows: 30,
        cwd: home.path,
        env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env },
      });
      await terminal.waitFor(PROMPT);
      terminal.type('the first question\r');
      await model.asked();
      fillDisk();
      model.goOn();
      await terminal.waitFor('There is no room for more');
      await terminal.waitFor('Free some space');
      await terminal.waitFor(PROMPT);
      freeDisk();
      terminal.type('the second question\r');
      await model.asked();
      model.goOn();
      await terminal.waitFor(LONG.slice(-20));
      await terminal.waitFor(PROMPT);
      terminal.type('\x04');
      expect(await terminal.exit).toMatchObject({ code: 9 });
      await checkJournal(sessions);
    });
  });

  it('before a turn: a full disk begins no turn, and is reported', async () => {
    await onSmallDisk(async ({ home, sessions, env, fillDisk, freeDisk }) => {
      const offline = ['repl', '--provider', 'offline', '--name', 'talk'];
      await home.run(offline, { env, input: 'hello\n' });
      const before = readFileSync(join(sessions, 'talk.jsonl'), 'utf8');
      fillDisk();
      const { exitCode, stderr } = await home.run(offline, { env, input: 'again\n' });
      freeDisk();
      expect(exitCode).toBe(9);
      expect(stderr).toMatch(/The turn was not begun: only .* are free/);
      expect(readFileSync(join(sessions, 'talk.jsonl'), 'utf8').startsWith(before)).toBe(true);
    });
  });
});
