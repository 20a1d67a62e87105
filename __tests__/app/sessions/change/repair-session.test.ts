import { createApp } from '../../../../lib/app/compose.ts';
import { repairSession } from '../../../../lib/app/sessions/change/repair-session.ts';
import { memoryFileSystem, silentLog } from '../../../../lib/platform/index.ts';
import {
  append,
  cut,
  doubled,
  edit,
  flip,
  sampleJournal,
  startOf,
  swapped,
  TEST_PROCESS,
  welded,
  withCrLf,
  withMark,
  without,
  zero,
  zeros,
} from '../../../journal/surgery.ts';

const whole = sampleJournal(8);
const PATH = '/home/.ollm/session-data/notes.jsonl';

async function appWith(bytes: Buffer) {
  const fileSystem = memoryFileSystem({ uid: 0 });
  const app = await createApp({
    env: { HOME: '/home', OLLM_HOME: '/home/.ollm' },
    cwd: '/',
    command: 'test',
    parts: { fileSystem, process: TEST_PROCESS, log: silentLog },
  });
  fileSystem.makeDirectory('/home/.ollm/session-data');
  const handle = fileSystem.open(PATH, 'create');
  handle.write(bytes);
  handle.close();
  return app;
}

describe('a repair of', () => {
  it.each<[string, Buffer]>([
    ['a torn tail', append(whole, '{"seq":8')],
    ['a tail of zeros', append(whole, zeros(4096))],
    ['a last line without its end', cut(whole, whole.length - 1)],
    ['a flipped bit', flip(whole, startOf(whole, 3) + 60)],
    ['a zeroed stretch over several lines', zero(whole, startOf(whole, 2) + 10, 512)],
    ['a missing line', without(whole, 4)],
    ['a doubled line', doubled(whole, 2)],
    ['doubled lines', doubled(whole, 1, 3)],
    ['swapped lines', swapped(whole, 3)],
    ['welded lines', welded(whole, 3)],
    ['lines of a different journal', edit(whole, (lines) => lines.toSpliced(4, 0, sampleJournal(2).subarray(0, 40)))],
    ['line ends of a different system', withCrLf(whole)],
    ['a byte order mark', withMark(whole)],
    ['a blank line', edit(whole, (lines) => lines.toSpliced(3, 0, Buffer.from('\n')))],
  ])('%s keeps the lines of the dry run, and leaves a whole journal', async (_what, bytes) => {
    const app = await appWith(bytes);
    const planned = await repairSession(app, 'notes', { dryRun: true });
    expect(planned.archive).toBeUndefined();
    expect(planned.findings.length).toBeGreaterThan(0);
    const before = await repairSession(app, 'notes', { dryRun: true });
    expect(before).toEqual(planned);

    const done = await repairSession(app, 'notes');
    expect({ kept: done.kept, findings: done.findings }).toEqual({ kept: planned.kept, findings: planned.findings });
    expect(done.archive).toMatch(/^notes\..*\.damaged\.jsonl$/);
    expect(await repairSession(app, 'notes')).toMatchObject({ findings: [], archive: undefined });
  });
});
