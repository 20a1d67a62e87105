import fc from 'fast-check';
import type { App } from '../../../lib/app/app.ts';
import { findSession, resolveId } from '../../../lib/app/find/find-session.ts';
import { titleSession } from '../../../lib/app/sessions/change/title-session.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { isOllmError } from '../../../lib/errors/index.ts';
import { createSession } from '../../../lib/session/create.ts';
import { OPTIONS } from '../../session/world.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { appWorld } from '../world.ts';

async function threeSessions() {
  const world = await appWorld();
  for (const name of ['alpha', 'alpine', 'Beta notes']) {
    world.clock.advance(1000);
    const conversation = await openSession(world.app, { kind: 'new', name });
    if (name === 'alpine') await titleSession(world.app, conversation, 'High  mountains');
    await conversation.session.close('exit');
  }
  return world;
}

describe('a reference to a session', () => {
  it.each([
    ['alpha', 'alpha'],
    ['beta', 'beta-notes'],
    ['ALPHA', 'alpha'],
    ['alpi', 'alpine'],
    ['Beta notes', 'beta-notes'],
    ['high mountains', 'alpine'],
    ['@last', 'beta-notes'],
  ])('%s is %s', async (reference, id) => {
    const { app } = await threeSessions();
    expect(await resolveId(app, reference)).toBe(id);
  });

  it('means the previous session if the last one is open', async () => {
    const { app } = await threeSessions();
    expect(await resolveId(app, '@last', { current: 'beta-notes' })).toBe('alpine');
    expect(await resolveId(app, '@last', { current: 'alpha' })).toBe('beta-notes');
  });

  it('means no import, even if an import was written last', async () => {
    const { app, clock } = await threeSessions();
    clock.advance(1000);
    const origin = { agent: 'claude', address: 'claude:5f3c', sessionId: '5f3c' };
    const created = { provider: '', model: '', ollm: '0.0.0', imported: true as const, origin };
    await (await createSession(app.store, { id: 'claude-5f3c', created }, OPTIONS)).close('exit');
    expect(await resolveId(app, '@last')).toBe('beta-notes');
    expect(await resolveId(app, 'claude-5f3c')).toBe('claude-5f3c');
  });

  it('is refused as ambiguous if several match, with all that do', async () => {
    const { app } = await threeSessions();
    await expect(resolveId(app, 'alp')).rejects.toThrow(
      expect.objectContaining({
        code: 'SESSION_AMBIGUOUS',
        data: { reference: 'alp', candidates: ['alpha', 'alpine'] },
      }),
    );
  });

  it('is refused with similar names if none matches', async () => {
    const { app } = await threeSessions();
    await expect(resolveId(app, 'alhpa')).rejects.toThrow(/Did you mean "alpha"\?/);
    await expect(resolveId(app, 'alhpa')).rejects.toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND', exitCode: 3 }),
    );
  });

  it('is refused if no session exists', async () => {
    const { app } = await appWorld();
    await expect(resolveId(app, '@last')).rejects.toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
  });

  it.each(['../x', '../../etc/passwd', '%2e%2e%2f', 'a\0.jsonl', '/abs', 'C:\\x', '', '.', 'x'.repeat(300)])(
    'is refused if it could be a path: %j',
    async (reference) => {
      const { app } = await threeSessions();
      await expect(resolveId(app, reference)).rejects.toThrow(
        expect.objectContaining({ code: 'SESSION_ID_INVALID', exitCode: 2 }),
      );
    },
  );

  it('lists the first ten sessions whose titles match, and the number of others', async () => {
    const { app } = await threeSessions();
    for (let number = 10; number < 22; number += 1) {
      const created = { provider: 'offline', model: 'm-1', ollm: '0.0.0', title: `Talk ${number}` };
      await (await createSession(app.store, { id: `many-${number}`, created }, OPTIONS)).close('exit');
    }
    const shown = Array.from({ length: 10 }, (_, index) => `  many-${index + 10}  Talk ${index + 10}`);
    await expect(resolveId(app, 'many')).rejects.toThrow(
      ['12 sessions begin with "many":', ...shown, '  and 2 more'].join('\n'),
    );
  });

  it.each(['con', '-rf', '__proto__', '🙂', 'constructor'])(
    'to a missing session is not found: %s',
    async (reference) => {
      const { app } = await threeSessions();
      await expect(resolveId(app, reference)).rejects.toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    },
  );

  it('gives either a session or one of three errors', async () => {
    const { app } = await threeSessions();
    const ids = (await app.store.list()).map(({ id }) => id);
    const codes = ['SESSION_ID_INVALID', 'SESSION_NOT_FOUND', 'SESSION_AMBIGUOUS'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: fc.constantFrom(...'alph/.@') })),
        async (text) => {
          try {
            return ids.includes(await resolveId(app, text));
          } catch (error) {
            return codes.some((code) => isOllmError(error, code));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a session that was found by its reference', () => {
  it('is read, and its journal is closed afterwards, also if the reading fails', async () => {
    const { app } = await threeSessions();
    const closed: string[] = [];
    const openReader: App['store']['openReader'] = (...given) => {
      const reader = app.store.openReader(...given);
      const close = () => {
        closed.push(reader.id);
        reader.close();
      };
      return { ...reader, close, [Symbol.dispose]: close };
    };
    const { id, read } = await findSession({ ...app, store: { ...app.store, openReader } }, 'alpha');
    expect(id).toBe('alpha');
    expect(await read(async (reader) => (await reader.first())?.type)).toBe('session.created');
    closed.length = 0;
    const failing = read(async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(closed).toEqual(['alpha']);
  });
});
