// The floor of the server: only `node:http`, with as many streams, and for a page the same bytes and the same work on
// its lines. argv: a file for the token, and optionally a journal. Has the figures that the cases ask `/metrics` for.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const PAGE_LINES = 100;
const [tokenFile, journal] = process.argv.slice(2) as [string, string | undefined];
const lines = journal === undefined ? [] : readFileSync(journal, 'utf8').split('\n');
const clients = new Set<ServerResponse>();
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    clients.add(response.on('close', () => clients.delete(response)));
  } else if (request.url === '/metrics') response.end(metrics());
  else {
    const value = request.url === '/page' ? page() : request.url === '/say' ? say() : {};
    response.setHeader('content-type', 'application/json');
    response.end(Buffer.from(JSON.stringify(value)));
  }
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(tokenFile, 'none\n');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(JSON.stringify({ address, tokenFile }));
});

function say(): object {
  const event = { type: 'turn.started', ts: new Date().toISOString() };
  const text = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  for (const client of clients) client.write(text);
  return {};
}

function page(): object {
  const from = Math.floor(Math.random() * Math.max(1, lines.length - PAGE_LINES - 1));
  const entries = lines.slice(from, from + PAGE_LINES).map((line) => JSON.parse(line) as unknown);
  return { entries, messages: entries };
}

function metrics(): string {
  const { user, system } = process.cpuUsage();
  const late = delay.percentile(99) / 1e9;
  delay.reset();
  return `ollm_resident_bytes ${process.memoryUsage.rss()}
ollm_processor_seconds_total ${(user + system) / 1e6}
ollm_event_loop_delay_seconds{quantile="0.99"} ${late}
`;
}
