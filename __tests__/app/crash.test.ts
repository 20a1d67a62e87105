// A process that is killed in the middle of an answer, as a user would kill it, and the next process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { eventsOf, viewTexts } from '../session/world.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree } from '../support/tree.ts';
import { tell } from './world.ts';

const PROGRAM = fileURLToPath(new URL('interrupted-turn.ts', import.meta.url));

it('kill -9 in the middle of an answer loses nothing that was stored, and the session continues', async () => {
  using home = createTree();
  const child = spawn(process.execPath, [PROGRAM, home.root], { stdio: ['ignore', 'pipe', 'inherit'] });
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    if (shown.includes('word3')) break;
  }
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;

  const provider = { ...scriptedProvider(() => says('third answer')), name: 'offline' };
  const app = await createApp({
    env: { HOME: home.root, OLLM_HOME: home.root },
    cwd: home.root,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog, providers: { offline: async () => provider } },
  });
  // The lock went with the process that held it.
  const conversation = await openSession(app, { kind: 'resume', reference: 'killed' });
  expect(conversation.notices.join('\n')).toMatch(/Turn 2 was interrupted/);
  expect(viewTexts(conversation.session)).toEqual([
    'user: first question',
    'assistant: first answer',
    'user: second question',
  ]);
  await tell(app, conversation, 'third question');
  await conversation.session.close('exit');
  const ends = (await eventsOf(app.store, 'killed')).flatMap(({ type, turn, data }) =>
    type === 'turn.ended' ? [`${turn} ${data.status}`] : [],
  );
  expect(ends).toEqual(['1 completed', '2 interrupted', '3 completed']);
  await app.close();
});
