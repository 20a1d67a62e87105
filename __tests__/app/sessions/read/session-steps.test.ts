import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../../lib/app/compose.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { findInSession } from '../../../../lib/app/sessions/read/find-in-session.ts';
import { sessionSteps } from '../../../../lib/app/sessions/read/session-steps.ts';
import { event } from '../../../support/event-list.ts';

it('steps join each call with its decision and its end, and hits in it lead to the call', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ollm-steps-'));
  const app = await createApp({ env: { HOME: home, OLLM_HOME: join(home, '.ollm') }, cwd: home, command: 'test' });
  try {
    const { session } = await openSession(app, { kind: 'new', name: 'walk' });
    const [asked] = await session.append([
      event.said('user', 'Where is the harbour?'),
      event.said('assistant', 'I look.', { message: 'm' }),
      event.asked('a', 'file_read', { path: `${home}/map.md` }),
      event.asked('b', 'bash', { command: 'ls' }),
      { type: 'tool.decided', data: { callId: 'b', decision: 'allow', by: 'user' } },
      { type: 'tool.started', data: { callId: 'b', sandbox: 'bwrap', envRemoved: [] } },
      event.finished('b', 'a list'),
      event.used(100, 20, { message: 'm' }),
      event.used(100, 30, { message: 'm' }),
      event.said('assistant', 'It is'),
      event.finished('a', 'the harbour is in the north'),
    ]);
    await session.close('exit');
    const first = asked!.seq;
    const { steps } = await sessionSteps(app, 'walk');
    expect(steps.map(({ seq, kind, tool, status, output }) => [seq - first, kind, tool ?? output, status])).toEqual([
      [0, 'prompt', undefined, undefined],
      [1, 'reply', undefined, undefined],
      [2, 'call', 'file_read', 'ok'],
      [3, 'call', 'bash', 'ok'],
      [8, 'request', 30, undefined],
      [9, 'reply', undefined, undefined],
    ]);
    const [, , read, list] = steps;
    expect([read!.text, read!.decidedAt, typeof read!.endedAt]).toEqual(['map.md', undefined, 'string']);
    expect([list!.text, list!.decidedBy, typeof list!.decidedAt, typeof list!.startedAt]).toEqual([
      ...['ls', 'user', 'string', 'string'],
    ]);
    expect(await findInSession(app, 'walk', { text: 'HARBOUR' })).toEqual({
      places: [first, first + 2],
      isCut: false,
    });
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
});
