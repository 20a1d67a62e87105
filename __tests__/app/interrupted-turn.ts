// A program of its own, to be killed in the middle of a turn: node interrupted-turn.ts HOME. Prints the text that it
// has shown.
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';

const home = process.argv[2] ?? '';
const provider = scriptedProvider(async function* (_request, _signal, round) {
  if (round === 0) return yield* says('first answer');
  for (let word = 1; ; word += 1) {
    yield { type: 'text', text: `word${word} ` };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
const app = await createApp({
  env: { HOME: home, OLLM_HOME: home },
  cwd: home,
  flags: { provider: 'offline' },
  command: 'interrupted-turn',
  parts: { providers: { offline: async () => ({ ...provider, name: 'offline' }) } },
});
const conversation = await openSession(app, { kind: 'new', name: 'killed' });
await new Promise<void>((resolve) => {
  ask(app, conversation, { text: 'first question' }).subscribe({ complete: resolve });
});
ask(app, conversation, { text: 'second question' }).subscribe((signal) => {
  if (signal.type === 'delta') process.stdout.write(`${signal.content}\n`);
});
