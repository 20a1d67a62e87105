// A model server by the protocol of OpenAI that says what a test tells it to, when it tells it.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.ts';

export interface SpokenModel extends AsyncDisposable {
  readonly url: string;
  /** Says some words of the answer that is asked for now. Waits until one is. */
  say(words: string): Promise<void>;
  /** Takes no more notice of it: the reader has gone away. */
  forget(): void;
  /** Ends that answer. */
  finish(): Promise<void>;
  /** Refuses the requests from now on with this status; without one it answers again. */
  refuse(status?: number): void;
  /** The names of the models that were asked for an answer, the first one first. */
  readonly asked: readonly string[];
  /** The header of the last request that has its key. */
  readonly authorization: string | undefined;
}

/** `models`: the names that it lists. */
export async function startSpokenModel(models: readonly string[] = ['gpt-4o']): Promise<SpokenModel> {
  let asking: ServerResponse | undefined;
  let refused: number | undefined;
  const asked: string[] = [];
  let authorization: string | undefined;
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
      return;
    }
    authorization = request.headers.authorization;
    const body = JSON.parse(await text(request)) as { stream?: boolean; tools?: readonly object[]; model: string };
    const { stream, tools, model } = body;
    if (refused !== undefined) {
      response.writeHead(refused, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'It is refused' } }));
      return;
    }
    if (stream !== true) {
      const message = { role: 'assistant', content: 'Said slowly' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Without tools it is asked for something next to the conversation.
    if (tools?.length) {
      asked.push(model);
      asking = response;
    } else end(response, 'Said slowly');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async say(words) {
      await until(() => asking !== undefined);
      send(asking!, { content: words });
    },
    forget() {
      asking = undefined;
    },
    async finish() {
      await until(() => asking !== undefined);
      const response = asking!;
      asking = undefined;
      end(response, '');
    },
    refuse(status) {
      refused = status;
    },
    asked,
    get authorization() {
      return authorization;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, delta: object, finish_reason: string | null = null): void {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'gpt-4o',
    choices: [{ index: 0, delta, finish_reason }],
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function end(response: ServerResponse, words: string): void {
  send(response, { content: words }, 'stop');
  response.end('data: [DONE]\n\n');
}
