// A prompt that takes the place of an earlier turn.
import { isOllmError } from '../../lib/errors/index.ts';
import { until } from '../support/until.ts';
import { type HostWorld, hostWorld } from './world.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'not refused',
    (error: unknown) => (isOllmError(error) ? error.code : String(error)),
  );
/** The texts that the model was sent with its last request. */
const lastSent = (world: HostWorld) => {
  const { body } = world.model.requests.findLast(({ path }) => path === '/api/chat')!;
  return (body as { messages: { content: string }[] }).messages.map(({ content }) => content);
};

describe('a prompt instead of a turn', () => {
  it('is sent without that turn and all later ones, which stay in the journal', async () => {
    await using world = await hostWorld({ replies: ['one', 'two', 'other'].map((text) => ({ text })) });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    await sessions.prompt(sessionId, { text: 'second' });
    await sessions.wait(sessionId);
    const before = world.journal(sessionId);
    const end = before.findLast(({ type }) => type === 'turn.ended')!;
    await sessions.prompt(sessionId, { text: 'another second' }, { insteadOf: end.seq });
    await sessions.wait(sessionId);
    expect(lastSent(world).slice(1)).toEqual(['first', 'one', 'another second']);
    expect(world.journal(sessionId).slice(0, before.length)).toEqual(before);
    // The turn that is aside comes back with all that followed it.
    await sessions.returnToBranch(sessionId, end.seq);
    await sessions.prompt(sessionId, { text: 'third' });
    await sessions.wait(sessionId);
    expect(lastSent(world).slice(1)).toEqual(['first', 'one', 'second', 'two', 'third']);
  });

  it('is refused while a turn runs and for an unknown event, and changes nothing then', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one', ends: false }, { text: 'two' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await until(() => world.model.requests.some(({ path }) => path === '/api/chat'));
    const moves = () => world.journal(sessionId).filter(({ type }) => type === 'branch.moved').length;
    expect(await codeOf(sessions.prompt(sessionId, { text: 'x' }, { insteadOf: 3 }))).toBe('SESSION_BUSY');
    await sessions.stop(sessionId);
    await sessions.wait(sessionId);
    expect(await codeOf(sessions.prompt(sessionId, { text: 'x' }, { insteadOf: 0 }))).toBe('SEQ_NOT_FOUND');
    expect(await codeOf(sessions.prompt(sessionId, { text: 'x' }, { insteadOf: 999 }))).toBe('SEQ_NOT_FOUND');
    expect(moves()).toBe(0);
  });
});
