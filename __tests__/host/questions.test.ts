import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOllmError, type OllmError } from '../../lib/errors/index.ts';
import type { QuestionEnd, UserQuestion } from '../../lib/host/port/questions.ts';
import type { ModelReply } from '../repl/tool-model.ts';
import { until } from '../support/until.ts';
import { follow, type HostWorld, hostWorld, type WorldOptions } from './world.ts';

const WRITES: ModelReply = { calls: [{ name: 'file_write', args: { path: 'note.txt', content: 'hello' } }] };
const WRITES_AGAIN: ModelReply = {
  calls: [{ name: 'file_write', args: { path: 'note.txt', content: 'hello again' } }],
};
const REPLIES = [WRITES, { text: 'done' }];

async function asked(options: WorldOptions = {}) {
  const world = await hostWorld({ replies: REPLIES, ...options });
  const { sessionId } = await world.host.sessions.start({ text: 'Write a note' });
  await until(() => world.host.questions.list(sessionId).length > 0);
  const [question] = world.host.questions.list(sessionId);
  return { world, sessionId, question: question! };
}

const decisions = (world: HostWorld, id: string) =>
  world.journal(id).flatMap(({ type, data }) => (type === 'tool.decided' ? [data] : []));

async function refusal(work: Promise<unknown>): Promise<OllmError> {
  try {
    await work;
  } catch (error) {
    if (isOllmError(error)) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('a question of the policy', () => {
  it('describes the call in full, and an answer allows exactly that call', async () => {
    const { world, sessionId, question } = await asked();
    await using _ = world;
    expect(world.host.sessions.activity(sessionId)).toMatchObject({ kind: 'waiting', questions: [question.id] });
    expect(question).toMatchObject({
      kind: 'call',
      mayAnswer: 'owner',
      call: {
        tool: 'file_write',
        args: { path: 'note.txt', content: 'hello' },
        accesses: [{ kind: 'write', path: join(world.project, 'note.txt') }],
      },
    });
    expect(question.call?.preview?.text).toContain('+hello');
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
    const statuses = async () =>
      (await world.host.sessions.snapshot(sessionId)).transitions.map(({ status }) => status);
    expect(await statuses()).toEqual(['running', 'waiting']);
    const by = { author: 'ann', address: '10.0.0.7' };
    await world.host.questions.answer(sessionId, question.id, { decision: 'once', hash: question.hash, by });
    await world.host.sessions.wait(sessionId);
    expect(existsSync(join(world.project, 'note.txt'))).toBe(true);
    expect(decisions(world, sessionId)).toMatchObject([
      { decision: 'allow', by: 'user', author: 'ann', address: '10.0.0.7', actionHash: question.hash },
    ]);
    expect(await statuses()).toEqual(['running', 'waiting', 'running', 'completed']);
  });

  it('is shown to all subscribers, also to later ones, and so is its end', async () => {
    const { world, sessionId, question } = await asked();
    await using _ = world;
    const clients = [follow(world.host, sessionId), follow(world.host, sessionId, 'start')];
    for (const client of clients) await client.until(() => client.signals('question').length === 1);
    const answer = { decision: 'no', hash: question.hash, words: 'Not now' } as const;
    await world.host.questions.answer(sessionId, question.id, answer);
    for (const client of clients) {
      await client.until(() => client.signals('question-end').length === 1);
      expect(client.signals<{ question: UserQuestion }>('question')[0]?.question).toEqual(question);
      expect(client.signals<{ end: QuestionEnd }>('question-end')[0]?.end).toMatchObject({ decision: 'no' });
    }
    await world.host.sessions.wait(sessionId);
    expect(decisions(world, sessionId)).toMatchObject([{ decision: 'deny', by: 'user', reason: 'Not now' }]);
  });

  it('is decided by the first answer, and later answers are told the decision', async () => {
    const { world, sessionId, question } = await asked();
    await using _ = world;
    const { questions } = world.host;
    const answers = ['ann', 'bob', 'cleo'].map((author, index) =>
      questions.answer(sessionId, question.id, {
        decision: index === 0 ? 'once' : 'no',
        hash: question.hash,
        by: { author },
      }),
    );
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const late = await refusal(questions.answer(sessionId, question.id, { decision: 'no', hash: question.hash }));
    expect(late.code).toBe('ALREADY_DECIDED');
    expect(late.data.end).toMatchObject({ author: 'ann', decision: 'once' });
    await world.host.sessions.wait(sessionId);
    expect(decisions(world, sessionId)).toHaveLength(1);
  });

  it('refuses an answer to a different question, one that is not offered, and one for a different session', async () => {
    const { world, sessionId, question } = await asked();
    await using _ = world;
    const { questions } = world.host;
    const { id, hash } = question;
    const stale = await refusal(questions.answer(sessionId, id, { decision: 'once', hash: '0'.repeat(64) }));
    expect(stale.code).toBe('QUESTION_CHANGED');
    const strange = await refusal(questions.answer(sessionId, id, { decision: 'perhaps' as 'no', hash }));
    expect(strange.code).toBe('USAGE');
    const elsewhere = await refusal(questions.answer('another', id, { decision: 'once', hash }));
    expect(elsewhere.code).toBe('QUESTION_NOT_FOUND');
    expect(questions.list(sessionId)).toHaveLength(1);
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });

  it('is denied if no answer comes in time', async () => {
    const { world, sessionId, question } = await asked({ limits: { answerMs: 50 } });
    await using _ = world;
    await world.host.sessions.wait(sessionId);
    expect(world.host.questions.get(sessionId, question.id).end).toMatchObject({ how: 'expired', decision: 'no' });
    expect(decisions(world, sessionId)).toMatchObject([
      { decision: 'deny', by: 'policy', reason: 'No user answered in time.' },
    ]);
    expect(existsSync(join(world.project, 'note.txt'))).toBe(false);
  });

  it('is denied when the server ends, and the denial is stored', async () => {
    const { world, sessionId } = await asked();
    await using _ = world;
    await world.host.close();
    expect(decisions(world, sessionId)).toMatchObject([
      { decision: 'deny', reason: 'The server ended before a user answered.' },
    ]);
    const types = world.journal(sessionId).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['turn.ended', 'session.closed']);
  });

  it('ends with its turn', async () => {
    const { world, sessionId, question } = await asked();
    await using _ = world;
    await world.host.sessions.stop(sessionId);
    expect(world.host.questions.list()).toEqual([]);
    expect(world.host.questions.get(sessionId, question.id).end).toMatchObject({ how: 'cancelled' });
  });

  it('is not repeated after the answer “always”', async () => {
    const { world, sessionId, question } = await asked({
      replies: [WRITES, { text: 'done' }, WRITES_AGAIN, { text: 'again' }],
    });
    await using _ = world;
    expect(question.answers).toContain('always');
    await world.host.questions.answer(sessionId, question.id, { decision: 'always', hash: question.hash });
    await world.host.sessions.wait(sessionId);
    await world.host.sessions.prompt(sessionId, { text: 'Again' });
    await world.host.sessions.wait(sessionId);
    expect(decisions(world, sessionId).map(({ by }) => by)).toEqual(['user', 'grant']);
  });

  it('is not asked in a turn without permissions, and the call is denied', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    writeFileSync(join(world.project, 'kept.txt'), 'as it was');
    const { sessionId } = await world.host.sessions.start({ text: 'Write a note', permissions: 'deny' });
    await world.host.sessions.wait(sessionId);
    expect(decisions(world, sessionId)).toMatchObject([{ decision: 'deny', by: 'policy' }]);
  });

  it('about an edit can switch the session to the mode in which edits are not asked about', async () => {
    const { world, sessionId, question } = await asked({ replies: [WRITES, WRITES_AGAIN, { text: 'done' }] });
    await using _ = world;
    const { questions, sessions } = world.host;
    expect(question.answers).toContain('edits');
    await questions.answer(sessionId, question.id, { decision: 'edits', hash: question.hash });
    expect((await sessions.wait(sessionId)).status).toBe('completed');
    expect(decisions(world, sessionId).map(({ rule }) => rule)).toEqual(['mode:edits', 'mode:edits']);
    expect(world.journal(sessionId).filter(({ type }) => type === 'mode.changed')).toMatchObject([
      { data: { mode: 'edits' } },
    ]);
  });
});
