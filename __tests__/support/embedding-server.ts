// A server on 127.0.0.1 that makes vectors, in the protocols of Ollama (/api/embed) and of OpenAI (/v1/embeddings). A
// vector is the sum of one direction for each meaning in the text: a word has a meaning of its own, by a hash, unless a
// test gives several words one.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endWithTests } from './end-with-tests.ts';

export interface EmbeddingOptions {
  /** Words that mean the same: the meaning of each. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly dimensions?: number;
  /** Texts with one of these words are refused, as one that is too long for the model is. */
  readonly refuses?: string;
}

export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string;
  /** Each request: where to, by which key, with which texts. */
  readonly requests: readonly { path: string; key: string | undefined; model: string; texts: readonly string[] }[];
  readonly texts: readonly string[];
  /** What changes while it runs. */
  readonly now: {
    status: number;
    dimensions: number;
    /** How many more requests get an answer. */
    answers: number;
  };
}

export async function startEmbeddingServer(options: EmbeddingOptions = {}): Promise<EmbeddingServer> {
  const { meanings = {}, dimensions = 256, refuses } = options;
  const requests: EmbeddingServer['requests'][number][] = [];
  const now = { status: 200, dimensions, answers: Number.POSITIVE_INFINITY };
  const server = createServer(async (request, response) => {
    const { model, input } = JSON.parse(await bodyOf(request)) as { model: string; input: string | string[] };
    const texts = typeof input === 'string' ? [input] : input;
    requests.push({ path: request.url!, key: request.headers.authorization, model, texts });
    now.answers -= 1;
    if (now.answers < 0) return;
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (now.status !== 200) return answer(now.status, { error: 'out of order' });
    if (model === 'missing') return answer(404, { error: 'model "missing" not found, try pulling it first' });
    if (refuses !== undefined && texts.some((text) => text.includes(refuses)))
      return answer(400, { error: 'the input length exceeds the context length' });
    const vectors = texts.map((text) => vectorOf(text, { meanings, dimensions: now.dimensions }));
    if (request.url === '/api/embed') return answer(200, { model, embeddings: vectors });
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    return answer(200, { object: 'list', model, data: data.reverse() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    server.closeAllConnections();
    return new Promise<unknown>((resolve) => server.close(resolve));
  };
  endWithTests(() => void end());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get texts() {
      return requests.flatMap(({ texts }) => texts);
    },
    now,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}

/** Deterministic; two texts are the nearer, the more meanings they share. */
export function vectorOf(
  text: string,
  { meanings = {}, dimensions = 256 }: Pick<EmbeddingOptions, 'meanings' | 'dimensions'> = {},
): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    let state = hashOf(meanings[word] ?? word);
    for (let place = 0; place < dimensions; place += 1) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + place;
      vector[place]! += (state & 1) === 0 ? 1 : -1;
    }
  }
  return vector;
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const character of word) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}
