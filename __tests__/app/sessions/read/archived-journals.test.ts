// An earlier journal of a session, which a reset put into archive/, is read by its name and never changed.

import { findConversation, resolveId } from '../../../../lib/app/find/find-session.ts';
import { deleteSession } from '../../../../lib/app/sessions/change/delete-session.ts';
import { forkSession } from '../../../../lib/app/sessions/change/fork-session.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { resetSession } from '../../../../lib/app/sessions/open/reset-session.ts';
import { auditSession } from '../../../../lib/app/sessions/read/audit-session.ts';
import { exportSession } from '../../../../lib/app/sessions/read/export-session.ts';
import { replaySession } from '../../../../lib/app/sessions/read/replay-session.ts';
import { showSession } from '../../../../lib/app/sessions/read/show-session.ts';
import { tailSession } from '../../../../lib/app/sessions/read/tail-session.ts';
import { verifySessions } from '../../../../lib/app/sessions/read/verify-sessions.ts';
import { appWorld } from '../../world.ts';

async function resetOne() {
  const world = await appWorld();
  const { app } = world;
  const { session } = await openSession(app, { kind: 'new', name: 'notes' });
  const parts = [{ type: 'text', text: 'The first pelican' }] as const;
  await session.append({ type: 'message.added', data: { role: 'user', parts: [...parts], trusted: true } });
  await session.close('exit');
  const { archive } = await resetSession(app, 'notes', { keepHistory: false });
  return { app, archive };
}

const textOf = async (chunks: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(chunks)).toString('utf8');

describe('an archived journal', () => {
  it.each(['archive/', ''])(
    'is shown, replayed, exported, tailed, audited and verified by its name after “%s”',
    async (folder) => {
      const { app, archive } = await resetOne();
      const name = `${folder}${archive}`;
      expect(await showSession(app, name)).toMatchObject({
        id: 'notes',
        locked: false,
        location: expect.stringContaining(archive),
        summary: { messageCount: 1, firstPrompt: { excerpt: 'The first pelican' } },
      });
      expect(await showSession(app, 'notes')).toMatchObject({ previous: archive, summary: { messageCount: 0 } });
      const { states } = await replaySession(app, name, { states: ['summary'] });
      expect(states.summary).toMatchObject({ messageCount: 1 });
      for (const format of ['md', 'jsonl'] as const) {
        expect(await textOf((await exportSession(app, name, { format })).chunks)).toContain('The first pelican');
      }
      const found = await findConversation(app, name, { archived: true });
      const request = { lines: 9, types: ['message.added'], follow: true, signal: AbortSignal.timeout(60_000) };
      expect(await Array.fromAsync(tailSession(app, found, request))).toMatchObject([{ kind: 'event' }]);
      expect((await auditSession(app, name)).calls).toEqual([]);
      const [verified] = await Array.fromAsync(
        verifySessions(app, [`archive/${archive}`], { deep: true, maxFindings: 9 }),
      );
      expect(verified).toMatchObject({ report: { findings: 0 }, findings: [] });
      expect(verified!.report.events).toBeGreaterThan(1);
    },
  );

  it('is refused by commands that change something, and under a different session', async () => {
    const { app, archive } = await resetOne();
    const name = `archive/${archive}`;
    for (const change of [
      () => deleteSession(app, name, {}),
      () => forkSession(app, name, {}),
      () => resetSession(app, name, { keepHistory: false }),
      () => resolveId(app, name),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('only be read') });
    }
    expect(await app.store.has('notes')).toBe(true);
    await expect(showSession(app, name.replace(/\d{8}/, '20010101'))).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    expect(() => app.store.openReader('other', archive)).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    );
  });
});
