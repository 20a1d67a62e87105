// A program of its own, to be killed while a tool runs: node killed-tool.ts HOME PROJECT COMMAND. Prints each signal.
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { callsTools } from '../turn/tool-world.ts';

const [home = '', project = '', command = ''] = process.argv.slice(2);
const provider = scriptedProvider(() => callsTools({ name: 'bash', args: { command } }));
const app = await createApp({
  env: { HOME: home, OLLM_HOME: home, PATH: process.env.PATH },
  cwd: project,
  flags: { provider: 'offline' },
  command: 'killed-tool',
  parts: { providers: { offline: async () => ({ ...provider, name: 'offline' }) } },
});
const conversation = await openSession(app, { kind: 'new', name: 'killed' });
const approver = { ask: async () => ({ kind: 'once' }) as const };
ask(app, conversation, { text: 'Go' }, { approver }).subscribe((signal) => console.log(signal.type));
