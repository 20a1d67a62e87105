// The floor of the server: only `node:http`, with as many streams, and for a page the same work on its lines, those of
// the journal that the argument names. Begins as `ollm serve --json` does, without a token.
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const PAGE_LINES = 100;
const [journal] = process.argv.slice(2);
const lines = journal === undefined ? [] : readFileSync(journal, 'utf8').split('\n');
const clients = new Set<ServerResponse>();
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/metrics') {
    response.end(`ollm_event_loop_delay_seconds{quantile="0.99"} ${delay.percentile(99) / 1e9}\n`);
    delay.reset();
  } else if (request.url === '/page') response.end(JSON.stringify(page()));
  else if (request.url === '/say') response.end(say());
  else {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
    clients.add(response.on('close', () => clients.delete(response)));
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(JSON.stringify({ address, tokenFile: '/dev/null' }));
});

function say(): string {
  const event = JSON.stringify({ type: 'turn.started', ts: new Date().toISOString() });
  for (const client of clients) client.write(`data: ${event}\n\n`);
  return event;
}

function page(): object {
  const from = Math.floor(Math.random() * Math.max(1, lines.length - PAGE_LINES - 1));
  const entries = lines.slice(from, from + PAGE_LINES).map((line) => JSON.parse(line) as unknown);
  return { entries, messages: entries };
}
