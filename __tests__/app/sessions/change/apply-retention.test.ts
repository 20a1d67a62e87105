import { sessionOptions } from '../../../../lib/app/sessions/open/conversation-in.ts';
import { type Later, openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { createSession } from '../../../../lib/session/create.ts';
import { appWorld } from '../../world.ts';

const TOO_MANY = 45;

/** A home in which 45 sessions are too many. */
async function worldWithTooMany() {
  const world = await appWorld({ env: { OLLM_SERVICES__SESSION__MAX_SESSIONS: '2' } });
  for (let at = 0; at < TOO_MANY + 1; at += 1) {
    world.clock.advance(3_600_000);
    const created = { provider: 'offline', model: 'none', ollm: '1', title: `session ${at}` };
    const id = `s${String(at).padStart(2, '0')}`;
    const session = await createSession(world.app.store, { id, created }, sessionOptions(world.app));
    await session.close('exit');
  }
  world.clock.advance(3_600_000);
  const ids = async () => (await world.app.store.list()).map(({ id }) => id).sort();
  return { ...world, ids };
}

describe('a start in a home with many sessions above the limit', () => {
  it('moves the twenty oldest to the trash, and each later start twenty more', async () => {
    const { app, ids } = await worldWithTooMany();
    const first = await openSession(app, { kind: 'new', name: 'first' });
    expect(first.notices.join()).toContain('20 old sessions were moved to the trash');
    expect((await ids()).at(1)).toBe('s20');
    await openSession(app, { kind: 'new', name: 'second' });
    expect((await ids()).at(1)).toBe('s40');
  });

  it('moves the others in separate work for a caller that can wait', async () => {
    const { app, ids } = await worldWithTooMany();
    const works: Later[] = [];
    await openSession(app, { kind: 'new', name: 'first' }, { later: (work) => works.push(work) });
    expect(await ids()).toHaveLength(TOO_MANY + 2);
    const { signal } = new AbortController();
    expect((await works.shift()!(signal)).join()).toContain('20 old sessions');
    expect(await ids()).toHaveLength(TOO_MANY - 18);
    expect((await works.shift()!(signal)).join()).toContain('25 old sessions');
    expect(await ids()).toHaveLength(2);
    expect(works).toEqual([]);
  });
});
