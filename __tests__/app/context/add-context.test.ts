import { addContext, removeContext } from '../../../lib/app/context/add-context.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { says } from '../../support/scripted-provider.ts';
import { appWorld, tell } from '../world.ts';

const world = async () => {
  const made = await appWorld({ script: () => says('ok') });
  const conversation = await openSession(made.app, { kind: 'name', name: 'talk' });
  return { ...made, conversation };
};
const systemOf = (provider: { requests: readonly { system: string }[] }) => provider.requests.at(-1)?.system ?? '';

const beforeQuestion = (provider: { requests: readonly { messages: readonly object[] }[] }) =>
  JSON.stringify(provider.requests.at(-1)?.messages.at(-2));

describe('a context entry', () => {
  it('with an equal text is not stored again, and a different one is', async () => {
    const { app, conversation } = await world();
    const stored: object[] = [];
    conversation.session.writer.subscribe((events) => stored.push(...events));
    const entry = { key: 'project', content: 'a.ts', source: 'system' } as const;
    await addContext(app, conversation, entry);
    expect(await addContext(app, conversation, entry)).toMatchObject({ replaced: true });
    expect(stored).toHaveLength(1);
    await addContext(app, conversation, { ...entry, content: 'a.ts b.ts' });
    await addContext(app, conversation, { ...entry, content: 'a.ts b.ts', priority: 7 });
    await addContext(app, conversation, { ...entry, content: 'a.ts b.ts', priority: 7, ttlMs: 60_000 });
    expect(stored).toHaveLength(4);
  });

  it('is sent with every request, in order of priority, and stays after a resume', async () => {
    const { app, conversation, provider, start } = await world();
    await addContext(app, conversation, { key: 'low', content: 'of little weight', priority: 10 });
    await addContext(app, conversation, { key: 'style', content: 'Answer in short sentences.' });
    await addContext(app, conversation, { key: 'high', content: 'of great weight', priority: 90 });
    await tell(app, conversation, 'one');
    const order = /of great weight[\s\S]+short sentences[\s\S]+of little weight/;
    expect(systemOf(provider)).toMatch(order);
    await conversation.session.close('exit');

    const again = await start();
    const resumed = await openSession(again, { kind: 'resume', reference: 'talk' });
    await tell(again, resumed, 'two');
    expect(systemOf(provider)).toMatch(order);
  });

  it('is removed when its time is over, with an event', async () => {
    const { app, conversation, provider, clock } = await world();
    await addContext(app, conversation, { key: 'meeting', content: 'The meeting is at noon.', ttlMs: 60_000 });
    await tell(app, conversation, 'one');
    const said = systemOf(provider);
    expect(said).toContain('at noon');
    clock.advance(60_000);
    const seen: object[] = [];
    conversation.session.writer.subscribe((events) => seen.push(...events));
    await tell(app, conversation, 'two');
    expect(beforeQuestion(provider)).toContain('## meeting\\" no longer holds');
    expect(systemOf(provider)).toBe(said);
    expect(seen[0]).toMatchObject({ type: 'context.removed', data: { key: 'meeting', reason: 'expired' } });
  });

  it('replaces the one with its key, and is removed by its key', async () => {
    const { app, conversation } = await world();
    expect(await addContext(app, conversation, { key: 'a', content: 'one' })).toEqual({
      replaced: false,
      warning: undefined,
    });
    expect(await addContext(app, conversation, { key: 'a', content: 'two' })).toMatchObject({ replaced: true });
    expect(conversation.session.states.context.entries).toMatchObject([{ key: 'a', content: 'two', trusted: true }]);
    expect(await removeContext(conversation, 'a')).toBe(true);
    expect(await removeContext(conversation, 'a')).toBe(false);
  });

  it('is reported if it is large, refused if it is invalid, and has no secret', async () => {
    const { app, conversation } = await world();
    const { warning } = await addContext(app, conversation, { key: 'large', content: 'word '.repeat(20_000) });
    expect(warning).toMatch(/large: about \d+ tokens go along with every request/);
    const refused = addContext(app, conversation, { key: 'huge', content: 'x'.repeat(2 * 1024 * 1024) });
    await expect(refused).rejects.toMatchObject({ code: 'USAGE' });
    await addContext(app, conversation, { key: 'key', content: `ghp_${'a1B2'.repeat(9)}`, source: 'hook' });
    const [, stored] = conversation.session.states.context.entries;
    expect(stored).toMatchObject({ key: 'key', source: 'hook', trusted: false });
    expect(stored?.content).not.toContain('a1B2a1B2');
  });
});
