import { notedTurns, TurnNote } from '../../lib/lead/note.ts';
import { memoryFileSystem, silentLog } from '../../lib/platform/index.ts';

function machine() {
  const fileSystem = memoryFileSystem();
  fileSystem.makeDirectory('/home');
  const place = { fileSystem, paths: { home: '/home' } as never, log: silentLog };
  return { fileSystem, place };
}

describe('the note of a session that has queued work', () => {
  it('exists after a power loss', async () => {
    const { fileSystem, place } = machine();
    await fileSystem.syncDirectory('/');
    await new TurnNote(place, 'a').store();
    await new TurnNote(place, 'b').store();
    fileSystem.powerCut({ entries: 'synced' });
    expect(notedTurns(place)).toEqual(['a', 'b']);
  });

  it('is removed when nothing waits, and removing it twice succeeds', async () => {
    const { place } = machine();
    const note = new TurnNote(place, 'a');
    await note.store();
    note.remove();
    note.remove();
    expect(notedTurns(place)).toEqual([]);
  });

  it('does not count as stored if it is removed during the storing', async () => {
    const { place } = machine();
    const note = new TurnNote(place, 'a');
    const storing = note.store();
    note.remove();
    await storing;
    expect(note.isStored).toBe(false);
    await note.store();
    expect(note.isStored).toBe(true);
    expect(notedTurns(place)).toEqual(['a']);
  });
});
