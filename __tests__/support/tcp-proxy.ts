// A proxy on loopback that can be cut: nothing passes in either direction, and no side is told.
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  cut(): void;
  /** Lets traffic through again. Connections of before are ended, as a broken network ends them sooner or later. */
  heal(): void;
  close(): void;
}

export async function startTcpProxy(target: () => number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server: Server = createServer((near) => {
    const far = connect(target(), '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on('close', () => {
        if (!isCut) end();
      });
      from.on('error', () => {
        if (!isCut) end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endAll = () => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut() {
      isCut = true;
    },
    heal() {
      endAll();
      isCut = false;
    },
    close() {
      endAll();
      server.close();
    },
  };
}
