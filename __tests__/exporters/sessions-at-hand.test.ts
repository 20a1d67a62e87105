// Every real session of another program that is on this machine, in each form that other programs read.
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { exportConversation } from '../../lib/app/sessions/read/export-session.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import type { StoredElsewhere } from '../support/continued-session.ts';
import { areSessionsAtHand, sessionsAtHand, withArchive } from '../support/sessions-at-hand.ts';
import { brokenRulesOfAsf, brokenRulesOfAtif, brokenRulesOfOtel } from './interchange-rules.ts';

const RULES = { otel: brokenRulesOfOtel, atif: brokenRulesOfAtif, asf: brokenRulesOfAsf } as const;

async function brokenRules({
  agent,
  source,
  fileSystem = nodeFileSystem,
}: StoredElsewhere): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const format of ['otel', 'atif', 'asf'] as const) {
    const reader = openForeign(agent, source, { fileSystem, uid: undefined });
    const pieces: Uint8Array[] = [];
    for await (const chunk of (await exportConversation(reader, { format })).chunks) pieces.push(chunk);
    reader.close();
    const rules = RULES[format](Buffer.concat(pieces).toString());
    broken.push(...rules.map((rule) => `${agent.name}:${source.id} as ${format}: ${rule}`));
  }
  return broken;
}

(areSessionsAtHand ? describe : describe.skip)('every foreign session at hand', () => {
  it('each session follows the rules of spans, trajectories and foreign session formats', async () => {
    const broken: string[] = [];
    let count = 0;
    const tryAll = async (sessions: readonly StoredElsewhere[]) => {
      for (const session of sessions) {
        broken.push(...(await brokenRules(session)).slice(0, 5));
        count += 1;
      }
    };
    await tryAll(await sessionsAtHand());
    await withArchive(tryAll);
    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
