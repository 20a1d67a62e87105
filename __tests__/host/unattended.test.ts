import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UserQuestion } from '../../lib/host/port/questions.ts';
import type { ModelReply } from '../repl/tool-model.ts';
import { until } from '../support/until.ts';
import { type HostWorld, hostWorld } from './world.ts';

const WRITES: ModelReply = { calls: [{ name: 'file_write', args: { path: 'note.txt', content: 'hello' } }] };
const ALLOWED = { OLLM_SERVER__ALLOW_UNATTENDED: 'true' };

const decisions = (world: HostWorld, id: string) =>
  world.journal(id).flatMap(({ type, data }) => (type === 'tool.decided' ? [data] : []));

describe('a turn without questions', () => {
  it('runs calls that would be asked about if the owner allows that, and the journal says so', async () => {
    await using world = await hostWorld({ replies: [WRITES, { text: 'done' }], env: ALLOWED });
    const { sessions } = world.host;
    const by = { address: '127.0.0.1' };
    const { sessionId } = await sessions.start({ text: 'Write a note', permissions: 'allow', by });
    expect((await sessions.wait(sessionId)).status).toBe('completed');
    expect(existsSync(join(world.project, 'note.txt'))).toBe(true);
    expect(decisions(world, sessionId)).toMatchObject([
      { decision: 'allow', by: 'user', author: 'unattended', address: '127.0.0.1' },
    ]);
  });

  it('still asks about dangerous calls, and the next prompt is asked about as usual', async () => {
    const dangerous: ModelReply = { calls: [{ name: 'bash', args: { command: 'rm -rf garden' } }] };
    const replies = [dangerous, { text: 'done' }, WRITES, { text: 'done' }];
    await using world = await hostWorld({ replies, env: ALLOWED });
    const { sessions, questions } = world.host;
    const { sessionId } = await sessions.start({ text: 'Clear it', permissions: 'allow' });
    const answerOne = async () => {
      await until(() => questions.list(sessionId).length === 1);
      const [{ id, hash }] = questions.list(sessionId) as [UserQuestion];
      await questions.answer(sessionId, id, { decision: 'no', hash });
      await sessions.wait(sessionId);
    };
    await answerOne();
    await sessions.prompt(sessionId, { text: 'Write a note' });
    await answerOne();
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });

  it('cannot run calls that the policy denies', async () => {
    const env = { ...ALLOWED, OLLM_TOOLS__DENY: '["file_write"]' };
    await using world = await hostWorld({ replies: [WRITES, { text: 'done' }], env });
    const { sessionId } = await world.host.sessions.start({ text: 'Write a note', permissions: 'allow' });
    await world.host.sessions.wait(sessionId);
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });

  it('asks after it waited for a start of a server that does not allow it', async () => {
    const replies = [{ text: 'one', ends: false }, WRITES, { text: 'done' }];
    await using world = await hostWorld({ replies, env: ALLOWED });
    const { sessionId } = await world.host.sessions.start({ text: 'first' });
    await until(() => world.model.requests.some(({ path }) => path === '/api/chat'));
    await world.host.sessions.prompt(sessionId, { text: 'Write a note', permissions: 'allow' });
    await world.host.close();
    const next = await world.another({}, { OLLM_SERVER__ALLOW_UNATTENDED: 'false' });
    await until(() => next.questions.list(sessionId).length === 1);
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });
});
