// A model server on 127.0.0.1 that speaks six protocols and holds each request against its vendor's rules: one that
// breaks a rule is refused with 400, as the vendor would, and kept for the test to see.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAiSdkProvider } from '../../lib/providers/ai-sdk/provider.ts';
import { anthropic } from '../../lib/providers/anthropic/vendor.ts';
import { createOllamaProvider } from '../../lib/providers/ollama/index.ts';
import type { Provider } from '../../lib/providers/provider.ts';
import { KEY, messages } from '../providers/anthropic/dialect.ts';
import { converse } from '../providers/bedrock/dialect.ts';
import { chat } from '../providers/compatible/dialect.ts';
import { generateContent } from '../providers/gemini/dialect.ts';
import { responsesDialect } from '../providers/openai/dialect.ts';
import type { Dialect } from '../providers/vendor-scenes.ts';
import { endWithTests } from './end-with-tests.ts';
import { brokenRules, WIRE_NAMES, type Wire } from './vendor-rules.ts';

export interface Checked {
  readonly wire: Wire;
  readonly broken: readonly string[];
  readonly body: unknown;
}

export interface CheckingServer extends AsyncDisposable {
  readonly url: string;
  /** The requests for an answer, oldest first. */
  readonly requests: Checked[];
}

interface WireOf {
  readonly model: string;
  readonly path: RegExp;
  readonly type: string;
  readonly answer: readonly (string | Uint8Array)[];
  readonly provider: (url: string) => Provider;
}

const spoken = (dialect: Dialect, path: RegExp, model: string, vendor = dialect.vendor): WireOf => ({
  model,
  path,
  type: dialect.type ?? 'text/event-stream',
  answer: [dialect.begin ?? '', dialect.says('fine'), dialect.end],
  provider: (url) => createAiSdkProvider(vendor(url), { timeoutSeconds: 60 }),
});

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const thinking = (url: string) => anthropic({ baseUrl: `${url}/v1`, key: KEY, thinkingTokens: 1024 });

/** Models with the strictest rules of their vendor. */
export const WIRES: Readonly<Record<Wire, WireOf>> = {
  anthropic: spoken(messages, /^\/v1\/messages$/, 'claude-sonnet-4-5', thinking),
  openai: spoken(responsesDialect, /^\/v1\/responses$/, 'gpt-5'),
  gemini: spoken(generateContent, /^\/v1beta\/models\/.*:streamGenerateContent/, 'gemini-3-pro-preview'),
  bedrock: spoken(converse, /^\/model\/.*\/converse-stream$/, 'anthropic.claude-sonnet-4-5'),
  compatible: spoken(chat, /^\/v1\/chat\/completions$/, 'deepseek-reasoner'),
  ollama: {
    model: 'qwen3',
    path: /^\/api\/chat$/,
    type: 'application/x-ndjson',
    answer: [
      line({ message: { role: 'assistant', content: 'fine' }, done: false }),
      line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }),
    ],
    provider: (host) => createOllamaProvider({ host }),
  },
};

/** An answer with which a vendor refuses a request that keeps its rules. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  /** Default: JSON with the message. */
  readonly body?: string;
  readonly type?: string;
}

export async function startCheckingServer({
  refuse = () => undefined,
}: {
  readonly refuse?: (body: unknown) => Refusal | undefined;
} = {}): Promise<CheckingServer> {
  const requests: Checked[] = [];
  const server = createServer(async (request, response) => {
    const wire = WIRE_NAMES.find((name) => WIRES[name].path.test(request.url!));
    const body = await bodyOf(request);
    const end = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    if (wire === undefined) return end(404, 'text/plain', '404 page not found');
    const broken = brokenRules(wire, body);
    requests.push({ wire, broken, body });
    const { type, answer } = WIRES[wire];
    if (broken.length > 0) return end(400, 'application/json', JSON.stringify({ error: { message: broken[0] } }));
    const refusal = refuse(body);
    if (refusal !== undefined) {
      const { status, message, body: text = JSON.stringify({ error: { message } }) } = refusal;
      return end(status, refusal.type ?? 'application/json', text);
    }
    response.writeHead(200, { 'content-type': type });
    for (const step of answer) response.write(step);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  endWithTests(() => void close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      await close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
