// Connections that ask for nothing, against a real listener.
import { connect, type Socket } from 'node:net';
import { listen } from '../../lib/server/listen.ts';
import { until } from '../support/until.ts';

async function listening(limits: { readonly connections: number; readonly silent: number }) {
  const server = await listen({ host: '127.0.0.1', port: 0, limits }, () => () => new Response('here'));
  const sockets: (Socket & { text: string })[] = [];
  return {
    /** A connection that sends this. */
    async join(text: string) {
      const socket = Object.assign(connect(server.port, '127.0.0.1'), { text: '' });
      sockets.push(socket);
      socket.on('error', () => {}).setEncoding('latin1');
      socket.on('data', (piece: string) => {
        socket.text += piece;
      });
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(text);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server.close(0);
    },
  };
}

const HALF = 'GET / HTTP/1.1\r\nHost: x\r\n';
const WHOLE = `${HALF}\r\n`;

describe('connections to the server', () => {
  it('with half a request make room for newer ones, so that a whole request is always answered', async () => {
    await using server = await listening({ connections: 100, silent: 4 });
    const half: Socket[] = [];
    for (let count = 0; count < 20; count += 1) half.push(await server.join(HALF));
    await until(() => half.filter(({ closed }) => !closed).length === 4);
    expect(half.slice(-4).every(({ closed }) => !closed)).toBe(true);
    const whole = await server.join(WHOLE);
    await until(() => whole.text.endsWith('here'));
  });

  it('with an answer are not closed for newer ones', async () => {
    await using server = await listening({ connections: 100, silent: 2 });
    const answered = await server.join(WHOLE);
    await until(() => answered.text.endsWith('here'));
    for (let count = 0; count < 10; count += 1) await server.join(HALF);
    answered.text = '';
    answered.write(WHOLE);
    await until(() => answered.text.endsWith('here'));
  });

  it('have a limit: one above it is closed, and the others stay', async () => {
    await using server = await listening({ connections: 3, silent: 100 });
    const sockets = [await server.join(WHOLE), await server.join(WHOLE), await server.join(WHOLE)];
    await until(() => sockets.every(({ text }) => text.endsWith('here')));
    const more = await server.join(WHOLE);
    await until(() => more.closed);
    expect(sockets.every(({ closed }) => !closed)).toBe(true);
  });
});
