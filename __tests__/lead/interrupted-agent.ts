// A program of its own, to be killed while an agent works: node interrupted-agent.ts HOME. Says when it does.
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { forever, scriptedProvider } from '../support/scripted-provider.ts';
import { callsTools } from '../turn/tool-world.ts';

const home = process.argv[2] ?? '';
const provider = scriptedProvider(async function* (_request, _signal, round) {
  if (round === 0) return yield* callsTools({ name: 'agent', args: { task: 'Look.' } });
  process.stdout.write('working\n');
  await forever();
});
const app = await createApp({
  env: { HOME: home, OLLM_HOME: home },
  cwd: home,
  flags: { provider: 'offline' },
  command: 'interrupted-agent',
  parts: { providers: { offline: async () => ({ ...provider, name: 'offline' }) } },
});
const conversation = await openSession(app, { kind: 'new', name: 'killed' });
ask(app, conversation, { text: 'Look' }).subscribe();
setInterval(() => {}, 1000);
