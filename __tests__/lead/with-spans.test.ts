import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { exportSession } from '../../lib/app/sessions/read/export-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { brokenRulesOfOtel, spansOf } from '../exporters/interchange-rules.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { asksOnce } from '../turn/tool-world.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A collector on the loopback that answers with a status. */
async function openCollector(status = 200) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

interface World {
  readonly endpoint?: string;
  readonly contents?: boolean;
  readonly mode?: 'ephemeral';
}

/** A turn that calls a tool, in an app that is closed after it. Returns the same spans from the journal. */
async function oneTurn(tree: Tree, { endpoint, contents = false, mode }: World) {
  tree.write({
    'project/notes.md': 'The port is 4711.\n',
    'home/config.yaml': endpoint === undefined ? '{}' : `otel:\n  endpoint: ${endpoint}\n  contents: ${contents}\n`,
  });
  const provider = scriptedProvider(asksOnce({ name: 'file_read', args: { path: 'notes.md' } }));
  const warnings: object[] = [];
  const quiet = () => {};
  const app = await createApp({
    env: {
      HOME: tree.root,
      OLLM_HOME: join(tree.root, 'home'),
      PATH: process.env.PATH,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,x=1',
    },
    cwd: join(tree.root, 'project'),
    flags: { provider: 'offline', ...(mode && { mode }) },
    command: 'test',
    parts: {
      providers: { offline: async () => ({ ...provider, name: 'offline' }) },
      log: { error: quiet, warn: (fields) => void warnings.push(fields), info: quiet, debug: quiet },
    },
  });
  const conversation = await openSession(app, { kind: 'new', name: 'work' });
  const signals = await lastValueFrom(ask(app, conversation, { text: 'What is the port?' }).pipe(toArray()));
  const { chunks } = await exportSession(app, 'work', { format: 'otel', contents });
  const exported = Buffer.concat(await Array.fromAsync(chunks)).toString();
  await conversation.session.close('exit');
  await app.close();
  return { exported, ended: signals.at(-1)?.type, warnings };
}

const inOrder = (text: string) => spansOf(text).toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1));

describe('spans of a turn', () => {
  it.each([false, true])('reach the collector as in an export (contents: %s)', async (contents) => {
    using tree = createTree();
    await using collector = await openCollector();
    const { exported } = await oneTurn(tree, { endpoint: collector.endpoint, contents });
    const sent = collector.received.map(({ body }) => body).join('');
    expect(brokenRulesOfOtel(sent)).toEqual([]);
    expect(spansOf(sent).map(({ name }) => name)).toContain('execute_tool file_read');
    expect(inOrder(sent)).toEqual(inOrder(exported));
    expect(sent.includes('4711')).toBe(contents);
  });

  it('are sent to /v1/traces with the headers of the environment', async () => {
    using tree = createTree();
    await using collector = await openCollector();
    await oneTurn(tree, { endpoint: `${collector.endpoint}/base/` });
    expect(collector.received[0]?.url).toBe('/base/v1/traces');
    expect(collector.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'api-key': 'a b',
      x: '1',
    });
  });

  it('are not sent for an ephemeral session, nor without an endpoint', async () => {
    using tree = createTree();
    await using collector = await openCollector();
    await oneTurn(tree, { endpoint: collector.endpoint, mode: 'ephemeral' });
    await oneTurn(tree, {});
    expect(collector.received).toEqual([]);
  });

  it('cost a turn nothing if the collector refuses or is gone, except one line of the log', async () => {
    using tree = createTree();
    await using refusing = await openCollector(503);
    const { ended, warnings } = await oneTurn(tree, { endpoint: refusing.endpoint });
    expect([ended, warnings]).toEqual([
      'done',
      [expect.objectContaining({ service: 'otel', reason: 'It answered 503' })],
    ]);
    using other = createTree();
    // Nothing listens on this port.
    const gone = await oneTurn(other, { endpoint: 'http://127.0.0.1:1' });
    expect([gone.ended, gone.warnings.length]).toEqual(['done', 1]);
    using third = createTree();
    const refused = await oneTurn(third, { endpoint: 'http://me:s3cret@127.0.0.1:1' });
    const endpoint = 'http://[hidden]@127.0.0.1:1';
    expect(refused.warnings).toEqual([expect.objectContaining({ endpoint, reason: 'it holds a name or a password' })]);
  });
});
