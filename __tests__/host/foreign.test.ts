import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import { follow, type HostWorld, hostWorld } from './world.ts';

const CLAUDE = 'claude:5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';

function claudeFile(world: HostWorld): string {
  const directory = join(dirname(world.home), '.claude', 'projects', '-home-me-garden');
  return join(directory, readdirSync(directory)[0]!);
}

/** The first record, said again by another id. */
function anotherRecord(file: string, uuid: string): string {
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  return `${first.replace('"u1"', JSON.stringify(uuid))}\n`;
}

describe('a session of a foreign program', () => {
  it('is followed as it grows, and resumed by the last id', async () => {
    await using world = await hostWorld();
    writeSessionsOfOthers(dirname(world.home));
    const client = follow(world.host, CLAUDE, 'start');
    await client.event('message.added', 2);
    const before = client.ids().length;
    appendFileSync(claudeFile(world), anotherRecord(claudeFile(world), 'u2'));
    await client.until(() => client.types().filter((type) => type === 'message.added').length === 3);
    expect(new Set(client.ids()).size).toBe(client.ids().length);
    const back = follow(world.host, CLAUDE, client.ids()[before - 1]);
    await back.until(() => back.ids().length === client.ids().length - before);
    expect(back.ids()).toEqual(client.ids().slice(before));
  });

  it('keeps the ids of its events across a restart of the server', async () => {
    await using world = await hostWorld();
    writeSessionsOfOthers(dirname(world.home));
    const first = follow(world.host, CLAUDE, 'start');
    await first.event('message.added', 2);
    const second = follow(await world.another(), CLAUDE, 'start');
    await second.until(() => second.ids().length === first.ids().length);
    expect(second.ids()).toEqual(first.ids());
  });

  it('restarts for its subscribers and for returning ones if its file is rewritten', async () => {
    await using world = await hostWorld();
    writeSessionsOfOthers(dirname(world.home));
    const client = follow(world.host, CLAUDE, 'start');
    await client.event('message.added', 2);
    const [first] = client.ids();
    writeFileSync(claudeFile(world), anotherRecord(claudeFile(world), 'other').replace('deadlock', 'wait'));
    await client.until(({ items }) => items.at(-1)?.kind === 'event' && items.some(({ kind }) => kind === 'reset'));
    const back = follow(world.host, CLAUDE, first);
    await back.event('message.added');
    expect(back.items.map(({ kind }) => kind).slice(0, 2)).toEqual(['hello', 'reset']);
  });

  it('continues in a fork of its import', async () => {
    await using world = await hostWorld();
    writeSessionsOfOthers(dirname(world.home));
    const { sessionId } = await world.host.sessions.prompt(CLAUDE, { text: 'And then?' }).catch((error) => {
      throw new Error(String(error));
    });
    await world.host.sessions.wait(sessionId);
    expect(world.journal(sessionId)[0]?.data.parent).toBeDefined();
    expect(world.journal(sessionId).at(-1)?.type).toBe('turn.ended');
  });
});
