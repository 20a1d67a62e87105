import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { announce, announcedServer, type Withdraw } from '../../lib/host/server-file.ts';
import { hostWorld } from './world.ts';

describe('the file with the address of a server', () => {
  it('has the address, readable only for the user, and is removed with the server', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const file = join(world.home, 'run', `server-${world.host.instance}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const announced = { address: 'http://127.0.0.1:4700', instance: world.host.instance, pid: process.pid };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ format: 1, ...announced });
    expect(announcedServer(world.host.app)).toEqual(announced);
    expect(announcedServer(world.host.app, process.pid)).toEqual(announced);
    const { app } = await world.another();
    await world.host.close();
    expect(announcedServer(app)).toBeUndefined();
    expect(readdirSync(join(world.home, 'run')).filter((name) => name.startsWith('server-'))).toEqual([]);
  });

  it('names the newest running server, in whatever order servers start and stop', async () => {
    await using world = await hostWorld();
    const { app } = world.host;
    let started = 0;
    const step = fc.record({ stops: fc.boolean(), which: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const running: { readonly instance: string; readonly withdraw: Withdraw }[] = [];
        const stop = (at: number) => running.splice(at, 1)[0]?.withdraw();
        for (const { stops, which } of steps) {
          if (stops) stop(which % (running.length || 1));
          else {
            const instance = randomUUID();
            const { pid } = process;
            const withdraw = await announce(app, { address: 'http://127.0.0.1:4700', instance, pid });
            running.push({ instance, withdraw });
            started += 1;
            utimesSync(join(world.home, 'run', `server-${instance}.json`), started, started);
          }
          expect(announcedServer(app)?.instance).toBe(running.at(-1)?.instance);
        }
        while (running.length > 0) stop(0);
      }),
    );
  });

  it('is removed by the next server if its own was killed; running and young servers keep theirs', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const run = join(world.home, 'run');
    const dead = 'dead0000-0000-4000-8000-000000000000';
    const left = [`server-${dead}.json`, `server-${dead}.lock`, `server-${dead}.json.lock`];
    const young = `server-${dead.replaceAll('d', 'b')}.lock`;
    for (const name of [...left, young]) writeFileSync(join(run, name), '');
    for (const name of readdirSync(run).filter((each) => each !== young)) utimesSync(join(run, name), 1, 1);
    const before = readdirSync(run);
    await (await world.another()).announce('http://127.0.0.1:4701');
    const after = readdirSync(run);
    expect(after).toEqual(expect.arrayContaining(before.filter((name) => !left.includes(name))));
    for (const name of left) expect(after).not.toContain(name);
  });

  it('names no server that was killed, even if a new process has its number', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const file = join(world.home, 'run', `server-${world.host.instance}.json`);
    const left = readFileSync(file, 'utf8');
    await world.host.close();
    const { app } = await world.another();
    for (const lock of [undefined, `server-${world.host.instance}.lock`]) {
      if (lock !== undefined) writeFileSync(join(world.home, 'run', lock), '', { mode: 0o600 });
      writeFileSync(file, left, { mode: 0o600 });
      expect(app.process.isAlive(JSON.parse(left).pid)).toBe(true);
      expect(announcedServer(app)).toBeUndefined();
    }
  });
});
