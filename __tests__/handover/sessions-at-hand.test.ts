// Real sessions of other programs, where some are on this machine, as sessions of each program: every one reads back
// equal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { loadAgent } from '../../lib/agents/registry.ts';
import { readConversation } from '../../lib/handover/conversation.ts';
import { prepare } from '../../lib/handover/prepared.ts';
import { differenceFrom } from '../../lib/handover/read-back.ts';
import { uuidOf } from '../../lib/handover/record-ids.ts';
import { loadTarget, TARGET_NAMES } from '../../lib/handover/targets.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { areSessionsAtHand, sessionsAtHand } from '../support/sessions-at-hand.ts';
import { createTree } from '../support/tree.ts';

const files = { fileSystem: nodeFileSystem, uid: undefined };
const startedAt = '2026-01-02T03:04:05.000Z';

(areSessionsAtHand ? it : it.skip)('each session at hand reads back equal as one of every program', async () => {
  using tree = createTree();
  const different: string[] = [];
  let compared = 0;
  for (const { agent, source } of await sessionsAtHand({ ofKnown: true })) {
    const { items } = await readConversation(openForeign(agent, source, files));
    if (items.length === 0) continue;
    for (const name of TARGET_NAMES) {
      const target = await loadTarget(name);
      const given = { target, from: `${agent.name}:${source.id}`, callsAsText: false, startedAt };
      const written = prepare(items, given).items;
      const id = uuidOf(source.id);
      const mark = { from: given.from, generation: 0, seq: 0 };
      const path = join(tree.root, name === 'opencode' ? 'session.json' : 'session.jsonl');
      const session = { id, cwd: '/home/ada', items: written, startedAt, mark, folder: 'work' };
      writeFileSync(path, target.contentOf(session));
      const read = await readConversation(openForeign(await loadAgent(name), { agent: name, id, path }, files));
      const difference = differenceFrom(written, read.items, target);
      if (difference !== undefined) different.push(`${given.from} to ${name}: ${difference}`);
      compared += 1;
    }
  }
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(0);
});
