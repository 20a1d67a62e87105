import { addContext } from '../../../../lib/app/context/add-context.ts';
import { listSessions } from '../../../../lib/app/list/list-sessions.ts';
import { titleSession } from '../../../../lib/app/sessions/change/title-session.ts';
import { leaveSession } from '../../../../lib/app/sessions/open/leave-session.ts';
import { type OpenRequest, openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { appWorld, tell } from '../../world.ts';

const NEW = { kind: 'new' } as const;
const LEFT = { reason: 'exit' } as const;
type World = Awaited<ReturnType<typeof appWorld>>;
type Opened = Awaited<ReturnType<typeof openSession>>;

describe('leaving a session', () => {
  it.each<[string, OpenRequest]>([
    ['was merely opened', NEW],
    ['has a system prompt of its own', { ...NEW, promptFile: 'prompt.md' }],
  ])('without a message removes it, if it %s', async (_, request) => {
    const { app, fileSystem } = await appWorld();
    const prompt = fileSystem.open('/home/me/project/prompt.md', 'create');
    prompt.write(new TextEncoder().encode('You review code.'));
    prompt.close();
    const conversation = await openSession(app, request);
    expect(await leaveSession(app, conversation, LEFT)).toBe(false);
    expect(await listSessions(app, {})).toEqual([]);
    expect(await app.store.listTrash()).toEqual([]);
  });

  it.each<[string, OpenRequest, (world: World, opened: Opened) => Promise<unknown>]>([
    ['something was said', NEW, (_, opened) => tell(_.app, opened, 'Hello')],
    ['it was given a title', NEW, ({ app }, opened) => titleSession(app, opened, 'Plans')],
    ['context was added', NEW, ({ app }, opened) => addContext(app, opened, { key: 'style', content: 'Short.' })],
    ['it was given a name', { kind: 'name', name: 'plans' }, async () => undefined],
  ])('keeps it if %s', async (_, request, act) => {
    const world = await appWorld();
    const opened = await openSession(world.app, request);
    await act(world, opened);
    expect(await leaveSession(world.app, opened, LEFT)).toBe(true);
    expect(await listSessions(world.app, {})).toHaveLength(1);
  });

  it('keeps one that existed before, with any contents', async () => {
    const { app } = await appWorld();
    const made = await openSession(app, NEW);
    await made.session.close('exit');
    const again = await openSession(app, { kind: 'resume', reference: made.session.id });
    expect(await leaveSession(app, again, LEFT)).toBe(true);
    expect(await listSessions(app, {})).toHaveLength(1);
  });
});
