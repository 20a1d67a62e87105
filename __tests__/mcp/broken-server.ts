// A server that breaks the rules, in the way that its argument names. Written by hand: no SDK would do this.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', detail = ''] = process.argv.slice(2);
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

const SCHEMA = { type: 'object', properties: {} };
const TOOLS: Readonly<Record<string, () => unknown[]>> = {
  hostile: () => [
    { name: 'evil\u001b]0;title\u0007\u202e', description: 'a\u0000b\u001b[2J\u200bc', inputSchema: SCHEMA },
    { name: 'é'.repeat(150), description: 'long name', inputSchema: SCHEMA },
    { name: 'x'.repeat(100_000), description: 'longer name', inputSchema: SCHEMA },
    { name: '', description: 'no name', inputSchema: SCHEMA },
    { name: 'big', description: 'd'.repeat(1_000_000), inputSchema: SCHEMA },
    { name: 'deep', inputSchema: { type: 'object', properties: nested(200) } },
    { name: 'wide', inputSchema: { type: 'object', description: 'w'.repeat(100_000) } },
    { name: 'elsewhere', inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/' } } } },
    { name: 'hidden', inputSchema: { type: 'object', properties: { a: { description: 'x\u200by\u001b[1m' } } } },
    { name: 'twice', description: 'first', inputSchema: SCHEMA },
    { name: 'twice', description: 'second', inputSchema: SCHEMA },
  ],
  many: () => Array.from({ length: 1000 }, (_, index) => ({ name: `tool_${index}`, inputSchema: SCHEMA })),
  unlistable: () => [{ name: { not: 'a name' }, inputSchema: 7 }],
};

/** `TOOLS` in its environment, as JSON, wins. */
function tools(): unknown {
  if (process.env.MCP_TOOLS !== undefined) return JSON.parse(process.env.MCP_TOOLS);
  return TOOLS[mode]?.() ?? [{ name: 'act', description: detail || 'Does something.', inputSchema: SCHEMA }];
}

/** The answer; undefined: nothing. */
function answer({ id, method, params }: Message): object | undefined {
  if (method === 'server/discover' && mode === 'ends-at-what-it-does-not-know') process.exit(1);
  if (method === 'server/discover' && mode === 'ignores-what-it-does-not-know') return undefined;
  if (id === undefined || mode === 'silent') return undefined;
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: mode, version: '1' };
      return { result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo } };
    }
    case 'tools/list':
      if (mode === 'silent-list') return undefined;
      if (mode === 'endless-list') return { result: { tools: [], nextCursor: String(Math.random()) } };
      return { result: { tools: tools() } };
    case 'tools/call':
      return call(id, params?.name ?? '');
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function call(id: number | string, name: string): object | undefined {
  switch (mode) {
    case 'silent-call':
      return undefined;
    case 'dies-in-call':
      return process.exit(9);
    case 'half-a-result':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`, () => process.exit(0));
      return undefined;
    case 'error-result':
      return { error: { code: -32000, message: 'The disk\u001b[31m is full.' } };
    case 'wrong-id':
      send({ id: 999_999, result: { content: [{ type: 'text', text: 'for another client' }] } });
      return undefined;
    case 'endless-line':
      endless('x'.repeat(65_536));
      return undefined;
    case 'endless-messages':
      // Empty lines count as well, and cost so little that the slowest machine takes too many of them in time.
      endless(
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}\n${'\n'.repeat(1000)}`,
      );
      return undefined;
    case 'listed':
      return { result: JSON.parse(process.env.MCP_RESULTS ?? '{}')[name] ?? did(name) };
    default:
      return { result: did(name) };
  }
}

function did(name: string): object {
  return { content: [{ type: 'text', text: `did ${name}` }] };
}

/** As fast as it is read. */
function endless(text: string): void {
  while (process.stdout.write(text));
  process.stdout.once('drain', () => endless(text));
}

function nested(depth: number): object {
  return depth === 0 ? {} : { p: { type: 'object', properties: nested(depth - 1) } };
}

if (mode === 'ends-at-once') {
  process.stderr.write('There is no configuration.\n');
  process.exitCode = 3;
} else {
  if (mode === 'stubborn') for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  if (mode === 'stubborn') setInterval(() => {}, 1000);
  if (mode === 'writes-in-pieces')
    for (let at = 0, size = Number(detail); at < process.env.MCP_TEXT!.length; at += size)
      writeSync(2, process.env.MCP_TEXT!.slice(at, at + size));
  if (mode === 'chatty') process.stdout.write('Listening…\nnull\n7\n{"no":"message"}\n');
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    const reply = answer(message);
    if (reply !== undefined) send({ id: message.id, ...reply });
  });
}
