// Pages of servers on loopback, which the settings of these tests open by name. They also say what a name means.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { WebPort } from '../../../lib/tools/builtin/web-fetch.ts';
import { createScene } from './scene.ts';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const webOf = (web: Partial<WebPort> = {}) =>
  createScene({ web: { privateHosts: ['127.0.0.1'], mayFetch: () => false, ...web } });

const html =
  '<title>Hinges &amp; more</title><nav>menu</nav><h2>Oil</h2><p>Use <a href="/oil">this</a>.<script>alert(1)</script>';

it('web_fetch returns a page as text, with its title and its address', async () => {
  let asked: unknown;
  await using server = await serve((request, response) => {
    const { cookie, authorization, 'user-agent': agent } = request.headers;
    asked = { path: request.url, cookie, authorization, agent };
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  using scene = webOf();
  expect(await scene.call('web_fetch', { url: `${server.url}/guide?x=1#part` })).toBe(
    `${server.url}/guide?x=1 (200, text/html)\nHinges & more\n\n## Oil\n\nUse this [${server.url}/oil].`,
  );
  expect(asked).toEqual({ path: '/guide?x=1', cookie: undefined, authorization: undefined, agent: 'ollm' });
});

it.each([
  ['plain', (text: string) => Buffer.from(text), {}],
  ['gzip', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ['br', (text: string) => brotliCompressSync(text), { 'content-encoding': 'br' }],
  ['latin1', (text: string) => Buffer.from(text, 'latin1'), { 'content-type': 'text/plain; charset="iso-8859-1"' }],
])('web_fetch reads text that is sent as %s', async (_name, encode, headers) => {
  await using server = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(encode('grün')),
  );
  using scene = webOf();
  expect(await scene.call('web_fetch', { url: server.url })).toMatch(/\(200, text\/plain\)\n\ngrün$/);
});

it('web_fetch reads at most the limit of bytes, also after decompression', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'));
  await using server = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
  );
  using scene = webOf();
  const text = await scene.call('web_fetch', { url: server.url });
  expect(text.length).toBeLessThan(4_200_000);
  expect(text).toMatch(/This is its beginning\.\]$/);
});

it('web_fetch names the type of a page that is not text, and the status of an error', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF');
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Gone');
  });
  using scene = webOf();
  const pdf = await scene.run(await scene.plan('web_fetch', { url: `${server.url}/pdf` }));
  expect(pdf).toMatchObject({ status: 'error', content: expect.stringMatching(/This is not text: 4 bytes\.$/) });
  const gone = await scene.run(await scene.plan('web_fetch', { url: `${server.url}/x` }));
  expect(gone).toMatchObject({ status: 'error', content: `${server.url}/x (404, text/html)\n\nGone` });
});

it('web_fetch follows a redirect on the same host, and to a different one only if the policy allows it', async () => {
  await using other = await serve((_request, response) =>
    response.setHeader('content-type', 'text/plain').end('there'),
  );
  await using server = await serve((request, response) => {
    const target = { '/a': '/b', '/out': `${other.url}/x`, '/loop': '/loop', '/file': 'file:///etc/passwd' }[
      request.url!
    ];
    if (target === undefined) response.setHeader('content-type', 'text/plain').end('here');
    else response.writeHead(302, { location: target }).end();
  });
  using scene = webOf();
  expect(await scene.call('web_fetch', { url: `${server.url}/a` })).toBe(`${server.url}/b (200, text/plain)\n\nhere`);
  const out = await scene.run(await scene.plan('web_fetch', { url: `${server.url}/out` }));
  expect(out).toEqual({
    status: 'error',
    content: `It leads elsewhere: ${other.url}/x\nFetch that address if it is wanted.`,
  });
  expect(await scene.failure('web_fetch', { url: `${server.url}/loop` })).toMatch(/more than 5 times/);
  expect(await scene.failure('web_fetch', { url: `${server.url}/file` })).toMatch(/Only http and https/);
  using open = webOf({ mayFetch: (host) => host === other.host });
  expect(await open.call('web_fetch', { url: `${server.url}/out` })).toMatch(/there$/);
});

it('web_fetch connects to no address of this machine or a private network unless the settings open it', async () => {
  let requests = 0;
  await using server = await serve((_request, response) => {
    requests += 1;
    response.end('inside');
  });
  const port = server.host.split(':')[1];
  using scene = webOf({ privateHosts: [], resolve: async () => ['127.0.0.1', '::1', '10.0.0.1'] });
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', 'inside.example'])
    expect(await scene.failure('web_fetch', { url: `http://${host}:${port}/` })).toMatch(/which is not fetched from/);
  expect(requests).toBe(0);
  using open = webOf({ privateHosts: ['Inside.example'], resolve: async () => ['127.0.0.1'] });
  expect(await open.call('web_fetch', { url: `http://inside.example:${port}/` })).toMatch(/inside$/);
});

it('web_fetch follows no redirect to such an address, even if the policy allows every host', async () => {
  await using server = await serve((_request, response) =>
    response.writeHead(301, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  );
  using scene = webOf({ mayFetch: () => true });
  expect(await scene.failure('web_fetch', { url: server.url })).toMatch(/^169\.254\.169\.254 is on this machine/);
});

it('web_fetch resolves a name once, and connects to the checked address: a second answer changes nothing', async () => {
  await using server = await serve((_request, response) => response.end('inside'));
  const meanings = [['192.0.2.1'], ['127.0.0.1']];
  let asked = 0;
  using scene = webOf({ privateHosts: [], resolve: async () => meanings[asked++] ?? [] });
  const port = server.host.split(':')[1];
  expect(await scene.failure('web_fetch', { url: `http://rebound.example:${port}/` })).toMatch(/is not fetched from/);
  expect(asked).toBe(1);
});

it('web_fetch stops on request while a server is silent', async () => {
  const reached = Promise.withResolvers<void>();
  await using server = await serve(() => reached.resolve());
  using scene = webOf();
  const stop = new AbortController();
  const running = scene.run(await scene.plan('web_fetch', { url: server.url }), stop.signal);
  running.catch(() => undefined);
  await reached.promise;
  await setImmediate();
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
});

it('web_fetch reports the error if nothing answers', async () => {
  const { url } = await (async () => {
    await using server = await serve(() => undefined);
    return { url: server.url };
  })();
  using scene = webOf();
  expect(await scene.failure('web_fetch', { url })).toMatch(/could not be read: ECONNREFUSED\.$/);
});

it.each([
  ['no address', /is not an address/],
  ['ftp://example.org/', /Only http and https are fetched/],
  ['file:///etc/passwd', /Only http and https are fetched/],
  ['https://user:secret@example.org/', /user name or a password/],
])('web_fetch refuses %s', async (url, words) => {
  using scene = webOf();
  expect(await scene.failure('web_fetch', { url })).toMatch(words);
});

it('web_fetch does not hang on a page with endless nesting', async () => {
  await using server = await serve((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<div><b>'.repeat(100_000)),
  );
  using scene = webOf();
  expect(await scene.call('web_fetch', { url: server.url })).toMatch(/\(200, text\/html\)/);
});

describe('web_search', () => {
  const results = [
    { title: 'Oil', url: 'https://oil.example/', content: 'All of \x1b[31moil.' },
    { title: 'Bad', url: 'javascript:alert(1)', content: '' },
    { title: 7, url: 'https://more.example/' },
    null,
  ];

  it('asks the server of the settings, at any address, and lists its hits', async () => {
    let asked = '';
    await using server = await serve((request, response) => {
      asked = request.url!;
      response.end(JSON.stringify({ results }));
    });
    using scene = webOf({ privateHosts: [], search: `${server.url}/search?lang=en` });
    expect(await scene.call('web_search', { query: 'oil & hinges' })).toBe(
      'Oil\nhttps://oil.example/\nAll of oil.\n\nhttps://more.example/',
    );
    expect(asked).toBe('/search?lang=en&q=oil+%26+hinges&format=json');
    expect(await scene.call('web_search', { query: 'oil', limit: 1 })).not.toContain('more.example');
  });

  it.each([
    [{ results: [] }, 200, /^Nothing was found/],
    ['<html>', 200, /did not answer in the JSON of SearXNG/],
    [{ results }, 429, /answered 429/],
  ])('reports the error after %j with %d', async (body, status, words) => {
    await using server = await serve((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
    using scene = webOf({ search: server.url });
    const said = await scene.call('web_search', { query: 'x' }).catch((error: Error) => error.message);
    expect(said).toMatch(words);
  });

  it('does not exist if no search is configured', async () => {
    using scene = webOf();
    await expect(scene.plan('web_search', { query: 'x' })).rejects.toThrow('no tool web_search');
  });
});
