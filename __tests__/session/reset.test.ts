import { resetSession } from '../../lib/session/reset.ts';
import { eventsOf, memoryWorld, said, turnEvents, viewTexts } from './world.ts';

const PROMPT = { text: 'Be brief.', tokens: { count: 3, method: 'counted' } } as const;
const NEW_PROMPT = {
  system: { text: 'Be long.', tokens: { count: 3, method: 'counted' } },
  record: { file: '/p.md', sha256: 'f'.repeat(64) },
} as const;

async function notes() {
  const world = memoryWorld();
  const session = await world.create('notes', { system: PROMPT });
  await session.append(turnEvents(1, 'one?', 'one.'));
  const before = (await eventsOf(world.store, 'notes')).length;
  await session.append({ type: 'branch.moved', data: { head: 1, reason: 'undo' } });
  await session.append(turnEvents(2, 'two?', 'two.'));
  await session.append(said('system', 'A note in between.'));
  await session.close('exit');
  return { world, before };
}

describe('a reset', () => {
  it('restarts with the same prompt, and the old journal is archived and named', async () => {
    const { world } = await notes();
    const { archive } = await resetSession(world.store, 'notes', { reason: 'reset', created: { ollm: '9' } });
    expect(archive).toMatch(/^notes\.\d{8}-\d{6}\.reset\.jsonl$/);
    const again = await world.open();
    expect(viewTexts(again)).toEqual(['system: Be brief.']);
    expect((await eventsOf(world.store, 'notes'))[0]?.data).toMatchObject({
      ollm: '9',
      previous: { archive, reason: 'reset' },
    });
    expect(again.report.notices).toEqual([]);
    await again.close('exit');
  });

  it('keeps the history on request, with undone turns undone, under a new prompt', async () => {
    const { world } = await notes();
    const request = { reason: 'reset', keepHistory: true, prompt: NEW_PROMPT, created: {} } as const;
    await resetSession(world.store, 'notes', request);
    const again = await world.open();
    expect(viewTexts(again)).toEqual([
      'system: Be long.',
      'user: two?',
      'assistant: two.',
      'system: A note in between.',
    ]);
    expect((await eventsOf(world.store, 'notes'))[0]?.data.prompt).toEqual(NEW_PROMPT.record);
    await again.close('exit');
  });

  it('can be repeated, and each old journal stays', async () => {
    const { world } = await notes();
    const first = await resetSession(world.store, 'notes', { reason: 'reset', created: {} });
    const second = await resetSession(world.store, 'notes', { reason: 'rebuild', prompt: NEW_PROMPT, created: {} });
    expect(second.archive).not.toBe(first.archive);
    expect((await eventsOf(world.store, 'notes'))[0]?.data.previous).toEqual({
      archive: second.archive,
      reason: 'rebuild',
    });
  });

  it('that cannot be written leaves the session unchanged', async () => {
    const { world } = await notes();
    const before = await eventsOf(world.store, 'notes');
    const record = { file: 'x'.repeat(17 * 1024 * 1024), sha256: 'f'.repeat(64) };
    const request = { reason: 'rebuild', prompt: { ...NEW_PROMPT, record }, created: {} } as const;
    await expect(resetSession(world.store, 'notes', request)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    expect(await eventsOf(world.store, 'notes')).toEqual(before);
  });

  it('is refused while the session is open, and leaves it unchanged', async () => {
    const { world } = await notes();
    const open = await world.open();
    const reset = resetSession(world.store, 'notes', { reason: 'reset', created: {} });
    await expect(reset).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await open.append(turnEvents(3, 'three?', 'three.'));
    expect(viewTexts(open)).toContain('user: three?');
    await open.close('exit');
  });
});
