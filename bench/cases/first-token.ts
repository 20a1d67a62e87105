// How long from the arrival of a token until it stands on the screen: the whole program on a pseudo-terminal, and a server
// on loopback that sends a token and notes when. The first of an answer, and later ones; by the clock, in which other programs
// have their turn too, and by what the program itself takes of the processor until then.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { limitOf, measure, median } from '../measure.ts';
import { buildProgram } from '../program.ts';
import type { TerminalProgram } from '../terminal-program.ts';

/** The sign of the prompt, in its colour. */
const READY = '\x1b[32m> ';
/** What a person takes for at once, by far. */
const GOAL_MS = 5;
const LATER_TOKENS = 5;
/** Longer than two pictures of a spinner: what is measured is no token that waits behind another. */
const BETWEEN_TOKENS_MS = 100;

export const run: Case = async function* ({ quick, pairs, directory, progress }) {
  const answers = quick ? 4 : 10;
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home);
  const model = await startModel();
  progress('answers');
  const terminal = await program.open(home, { OLLAMA_HOST: model.url }, 'repl', '--new', '--provider', 'ollama');
  await terminal.shows(READY);
  const takeAnswers = (of: keyof Times) => async () => {
    const times: Times = { first: [], firstProcessor: [], later: [] };
    for (let count = 0; count < answers; count += 1) await takeAnswer(terminal, model, times);
    return median(times[of]);
  };
  const common = { unit: 'ms', against: [limitOf(GOAL_MS, 'what is felt as at once')] };
  const what = 'first token on the screen';
  yield* await measure({ what, subject: takeAnswers('first'), ...common }, pairs);
  if (terminal.processorTime() !== undefined) {
    const subject = takeAnswers('firstProcessor');
    yield* await measure({ what: `${what}, by processor time`, subject, ...common }, Math.ceil(pairs / 2));
  }
  const later = takeAnswers('later');
  yield* await measure({ what: 'a later token on the screen', subject: later, ...common }, Math.ceil(pairs / 3));
  await terminal.end();
  await model.stop();
};

/** Milliseconds until a token stands. */
interface Times {
  readonly first: number[];
  readonly firstProcessor: number[];
  readonly later: number[];
}

async function takeAnswer(terminal: TerminalProgram, model: Model, times: Times): Promise<void> {
  const asked = model.asked();
  terminal.type('go\r');
  const answer = await asked;
  for (let count = 0; count <= LATER_TOKENS; count += 1) {
    await new Promise((next) => setTimeout(next, BETWEEN_TOKENS_MS));
    tokens += 1;
    const word = `token${tokens}x`;
    const shown = terminal.shows(word);
    const taken = terminal.processorTime() ?? 0;
    const sent = performance.now();
    answer.write(line({ message: { role: 'assistant', content: `${word} ` }, done: false }));
    (count === 0 ? times.first : times.later).push((await shown) - sent);
    if (count === 0) times.firstProcessor.push((terminal.processorTime() ?? 0) - taken);
  }
  const prompt = terminal.shows(READY);
  answer.end(line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }));
  await prompt;
}
let tokens = 0;

interface Model {
  readonly url: string;
  /** The next request for an answer, which is the caller's to give. */
  asked(): Promise<ServerResponse>;
  stop(): Promise<void>;
}

const line = (value: object) => `${JSON.stringify(value)}\n`;

/** An Ollama with one model. */
async function startModel(): Promise<Model> {
  const waiting: ((response: ServerResponse) => void)[] = [];
  const facts: Readonly<Record<string, object>> = {
    '/api/tags': { models: [{ name: 'bench:latest', size: 1 }] },
    '/api/show': { model_info: { 'x.context_length': 32_768 }, capabilities: ['completion'] },
  };
  const server = createServer((request, response) => {
    request.resume();
    const fact = facts[request.url!];
    if (fact !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(fact));
    else {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.flushHeaders();
      response.socket?.setNoDelay(true);
      waiting.shift()?.(response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => new Promise((tell) => waiting.push(tell)),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
