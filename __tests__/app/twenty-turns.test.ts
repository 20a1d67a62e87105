// A real session: twenty questions about this repository, answered by the offline provider from its documents.
import { fileURLToPath } from 'node:url';
import { createApp } from '../../lib/app/compose.ts';
import { listSessions } from '../../lib/app/list/list-sessions.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { showSession } from '../../lib/app/sessions/read/show-session.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { eventsOf } from '../session/world.ts';
import { createTree } from '../support/tree.ts';
import { tell } from './world.ts';

const DOCUMENTS = fileURLToPath(new URL('../../docs/', import.meta.url));

const QUESTIONS = [
  ...['How is the checksum of a line computed?', 'Where is the lock of a journal taken?', 'What is a torn tail?'],
  ...['Which events are there?', 'What does branch.moved mean?', 'How are secrets redacted?', 'What is a projection?'],
  ...['What does the summary fold count?', 'How is the configuration layered?', 'What is OLLM_HOME?'],
  ...['How does the REPL read a paste?', 'Which exit codes are there?', 'What happens after kill -9?'],
  ...['How are tokens counted?', 'What did I ask first?', 'What is the licence?', 'Which package hashes the lines?'],
  ...['How does export to html work?', 'What is quarantine for?', 'Who may write a journal?'],
];

it('twenty turns over the documents are answered with file and line, and the journal has all of it', async () => {
  using home = createTree();
  const app = await createApp({
    env: { HOME: home.root, OLLM_HOME: home.root },
    cwd: DOCUMENTS,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog },
  });
  const conversation = await openSession(app, { kind: 'new' });
  for (const question of QUESTIONS) {
    const signals = await tell(app, conversation, question);
    expect(signals.at(-1)?.type).toBe('done');
  }
  await conversation.session.close('exit');

  const { id } = conversation.session;
  const answers = (await eventsOf(app.store, id)).filter(({ data }) => data.role === 'assistant');
  expect(answers).toHaveLength(20);
  const quoting = answers.filter(({ data }) => /[\w-]+\.(ts|md|json):\d+/.test(JSON.stringify(data.parts)));
  expect(quoting.length).toBeGreaterThan(10);
  expect(await listSessions(app)).toMatchObject([
    { id, summary: { turnCount: 20, messageCount: 40, title: QUESTIONS[0] } },
  ]);
  expect(await showSession(app, id)).toMatchObject({ damage: [], budget: { spent: { calls: 20 } } });
  await app.close();
});
