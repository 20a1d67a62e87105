// Leads a real program through the scenes: node record-here.ts AGENT LOG. Runs where it reaches only its model server.
import { setTimeout as wait } from 'node:timers/promises';
import { openAcpAgent } from '../../../lib/runs/acp/acp-agent.ts';
import { installedAgent } from '../../../lib/runs/installed.ts';
import { profileOf } from '../../../lib/runs/profiles.ts';
import { Asked, perform, SCENES } from './scenes.ts';

const [agent = '', log = ''] = process.argv.slice(2);
const profile = profileOf(agent)!;
const { path, env, command } = installedAgent(profile, { home: '/nowhere', path: process.env.PATH, untrusted: [] });
const own = { ...(process.env as Record<string, string>), ...command.env, ...env };
const open = (asked: Asked, resume?: string) =>
  openAcpAgent(command, {
    argv: [process.execPath, '--no-warnings', `${import.meta.dirname}/tee.ts`, log, path, ...command.args],
    ...{ workspace: process.cwd(), env: own, mark: crypto.randomUUID(), resume },
    ...{ ask: asked.ask, onText: () => undefined, signal: new AbortController().signal },
  });
const asked = new Asked();
const first = await open(asked);
for (const scene of SCENES) {
  const { end, text } = await perform(first, scene, asked);
  console.log(scene.name, JSON.stringify(end), text.slice(0, 60));
}
await first.close();
// Gemini loses a session that it goes on with in its first minute.
if (profile.resumesFromNextMinute) await wait(60_000 - (Date.now() % 60_000) + 1000);
const second = await open(asked, first.id);
console.log('resumed', JSON.stringify((await perform(second, SCENES[0]!, asked)).end));
await second.close();
process.exit();
