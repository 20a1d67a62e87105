// Subagents inside of the file of their session are sessions: found, read, imported and counted, each once.
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findConversation } from '../../lib/app/find/find-session.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { hideSession } from '../../lib/app/list/foreign-notes.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { forkSession } from '../../lib/app/sessions/change/fork-session.ts';
import { stats } from '../../lib/app/sessions/read/stats.ts';
import { type HubWorld, hubWorld } from './world.ts';

const CASES = fileURLToPath(new URL('../agents/', import.meta.url));
const CLAUDE = 'inline-sidechain-agent-00000003-0000-4000-8000-000000000000';
const COPILOT = 'aa01-agent-t1';

let hub: HubWorld;
let file: string;
beforeEach(() => {
  hub = hubWorld();
  const folder = join(hub.home, '.claude/projects/-home-me-project');
  const state = join(hub.home, '.copilot/session-state/aa01');
  for (const each of [folder, state]) mkdirSync(each, { recursive: true });
  file = join(folder, 'inline-sidechain.jsonl');
  copyFileSync(join(CASES, 'claude/cases/inline-sidechain/record.jsonl'), file);
  copyFileSync(join(CASES, 'copilot/cases/subagent/record.jsonl'), join(state, 'events.jsonl'));
});
afterEach(() => hub.remove());

const ASIDE = {
  ...{ type: 'assistant', uuid: '00000009-0000-4000-8000-000000000000', isSidechain: true },
  ...{ parentUuid: '00000004-0000-4000-8000-000000000000', timestamp: '2026-03-01T08:00:09.000Z' },
  message: { id: 'msg_t', role: 'assistant', model: 'claude-x', content: [{ type: 'text', text: 'A quokka, too.' }] },
};

const texts = (address: string) =>
  hub.withApp(async (app) => {
    const { read } = await findConversation(app, address);
    return read(async (reader) => {
      const events: string[] = [];
      for await (const batch of reader.outcomes()) {
        for (const one of batch) if (one.kind === 'event') events.push(JSON.stringify(one.event.data));
      }
      return events.join('\n');
    });
  });

describe('a subagent inside the file of its session', () => {
  it('is found under an address of its own, which can be read, also by the beginning of its key', async () => {
    expect(await hub.sync()).toMatchObject({ sessions: 2, read: 2, skipped: [] });
    const [hit] = await hub.search({ text: '"Found it in a.ts"', role: 'assistant' });
    expect(hit).toMatchObject({ address: `claude:${CLAUDE}#00000004-0000-4000-8000-000000000000`, agent: 'claude' });
    expect(await texts(hit!.address)).toContain('Found it in a.ts.');
    expect(await texts('claude:inline-sidechain-agent-00000003')).toContain('Found it in a.ts.');
    expect(await hub.addresses('"ls hold"')).toEqual([expect.stringMatching(/^copilot:aa01-agent-t1#/)]);
    expect(await texts(`copilot:${COPILOT}`)).toContain('ls hold');
    await expect(texts('claude:inline-sidechain-agent-other')).rejects.toThrow('There is no session');
  });

  it('is read as its file grows, stays while the file exists, and is hidden with its session', async () => {
    await hub.sync();
    appendFileSync(file, `${JSON.stringify(ASIDE)}\n`);
    expect(await hub.sync()).toMatchObject({ read: 1, vanished: 0 });
    expect(await hub.addresses('quokka')).toEqual([`claude:${CLAUDE}#${ASIDE.uuid}`]);
    expect(await hub.sync()).toMatchObject({ read: 0, vanished: 0 });
    await hub.withApp((app) => hideSession(app, 'claude:inline-sidechain', true));
    expect(await hub.addresses('quokka')).toEqual([]);
  });

  it('is in no list, and its tokens are counted once, as a part of its session', async () => {
    await hub.sync();
    const { rows } = await hub.withApp((app) => listAll(app));
    expect(rows.map(({ id }) => id).sort()).toEqual(['aa01', 'inline-sidechain']);
    const counted = await hub.withApp((app) => stats(app, { by: ['agent'] }));
    expect(
      counted.rows
        .map(({ agent, sessions, inputTokens, outputTokens }) => [agent, sessions, inputTokens, outputTokens])
        .sort(),
    ).toEqual([
      ['claude', 1, 30, 15],
      ['copilot', 1, 90, 20],
    ]);
  });

  it('is imported with its session, and grows with it', async () => {
    const all = () => hub.withApp((app) => importForeign(app, { all: true }));
    expect(await all()).toMatchObject({ sessions: 4, imported: 4, skipped: [] });
    expect(await all()).toMatchObject({ sessions: 2, unchanged: 2, events: 0 });
    appendFileSync(file, `${JSON.stringify(ASIDE)}\n`);
    expect(await all()).toMatchObject({ sessions: 3, grown: 2, unchanged: 1 });
    const { importId } = (await hub.withApp((app) => findConversation(app, `claude:${CLAUDE}`))) as {
      importId?: string;
    };
    expect(await texts(importId!)).toContain('A quokka, too.');
  });

  it('is not continued by a fork of its session, but by a fork of itself', async () => {
    for (const [address, parent] of [
      ['claude:inline-sidechain', 'claude-inline-sidechain'],
      ['copilot:aa01', 'copilot-aa01'],
    ] as const) {
      expect(await hub.withApp((app) => forkSession(app, address))).toMatchObject({ parent });
    }
    const inside = await hub.withApp((app) => forkSession(app, `claude:${CLAUDE}`));
    expect(await texts(inside.parent)).toContain('Found it in a.ts.');
  });
});
