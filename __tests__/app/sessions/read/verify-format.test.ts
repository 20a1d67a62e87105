import { verifySessions } from '../../../../lib/app/sessions/read/verify-sessions.ts';
import { openFileStore } from '../../../../lib/file-store/file-store.ts';
import { memoryFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../../lib/platform/index.ts';
import { line } from '../../../journal/surgery.ts';

/** The findings in a journal of one line, whose header names this format. */
async function findingsOf(format: unknown, deep: boolean) {
  const fileSystem = memoryFileSystem();
  const ports = { fileSystem, clock: systemClock, ids: systemIds, process: thisProcess('test'), log: silentLog };
  const store = openFileStore(ports, { directory: '/sessions' });
  fileSystem.makeDirectory('/sessions');
  const handle = fileSystem.open('/sessions/notes.jsonl', 'create');
  const data = { format, sessionId: 'notes', model: 'm', provider: 'p', ollm: '1.0.0' };
  handle.write(line({ seq: 0, ts: '2026-01-01T00:00:00.000Z', type: 'session.created', data, prev: '0'.repeat(16) }));
  handle.close();
  const verified = verifySessions({ store, log: silentLog }, ['notes'], { deep, maxFindings: 9 });
  for await (const { findings } of verified) return findings;
  return undefined;
}

describe('verify, for the format of a journal', () => {
  it.each([0, 'one', null, 1.5, undefined])('%p is reported as unknown, also without --deep', async (format) => {
    for (const deep of [false, true]) {
      expect(await findingsOf(format, deep)).toMatchObject([{ type: 'content', seq: 0, offset: 0 }]);
    }
  });

  it.each([1, 2])('%p has no finding', async (format) => expect(await findingsOf(format, false)).toEqual([]));
});
