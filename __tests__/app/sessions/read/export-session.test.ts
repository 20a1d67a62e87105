import fc from 'fast-check';
import { createApp } from '../../../../lib/app/compose.ts';
import { exportSession } from '../../../../lib/app/sessions/read/export-session.ts';
import type { NewOllmEvent } from '../../../../lib/events/index.ts';
import type { NewEvent } from '../../../../lib/journal/types.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../../../lib/platform/index.ts';
import { replay } from '../../../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../../../lib/projections/session.ts';
import { arbitrarySession } from '../../../support/arbitrary-session.ts';
import { event } from '../../../support/event-list.ts';

async function world() {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  fileSystem.makeDirectory('/home/me/project');
  const parts = { clock, ids: countingIds(), process: thisProcess('test'), log: silentLog, fileSystem };
  const app = await createApp({ env: { HOME: '/home/me' }, cwd: '/home/me/project', command: 'test', parts });
  let journals = 0;
  return {
    app,
    /** The id of a new journal with these events after its first line. */
    async journal(events: readonly (NewOllmEvent | NewEvent)[]): Promise<string> {
      journals += 1;
      const id = `walk-${journals}`;
      const writer = await app.store.create(id, { provider: 'p', model: 'm', ollm: '0' });
      await writer.append(events as NewEvent[]);
      await writer.close();
      return id;
    },
    async exported(id: string, request: { readonly to?: number; readonly redact?: boolean } = {}): Promise<string> {
      const { chunks } = await exportSession(app, id, { format: 'json', ...request });
      return Buffer.concat(await Array.fromAsync(chunks)).toString();
    },
    /** All at once, from the state of the session projection. */
    async document(id: string, to?: number): Promise<string> {
      const reader = app.store.openReader(id);
      const { states, counts } = await replay(
        reader,
        { session: sessionFold },
        to === undefined ? {} : { at: { seq: to } },
      );
      reader.close();
      const session = sessionJson(states.session, { damaged: counts.damaged, unknownEvents: counts.unknown });
      return `${JSON.stringify(session, null, 2)}\n`;
    },
  };
}

describe('an export as one JSON document', () => {
  it('equals the session projection, byte for byte, now and at any event', async () => {
    const { journal, exported, document } = await world();
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), fc.nat(), async ([, ...events], pick) => {
        const id = await journal(events);
        expect(await exported(id)).toBe(await document(id));
        const to = pick % (events.length + 1);
        expect(await exported(id, { to })).toBe(await document(id, to));
      }),
      { numRuns: 100 },
    );
  });

  it('lists calls in their order, with results that came later, twice or never', async () => {
    const { journal, exported, document } = await world();
    const id = await journal([
      event.asked('a', 'slow', { n: 1 }),
      event.asked('b', 'never', { n: 2 }),
      event.asked('c', 'quick', 'no JSON' as never),
      event.finished('c', 'third'),
      event.finished('lost', 'of a call that is not there'),
      event.finished('a', 'first'),
      event.asked('a', 'again', { n: 3 }),
      event.finished('a', 'again'),
    ]);
    const { toolCalls } = JSON.parse(await exported(id));
    expect(toolCalls.map(({ name, result }: never) => [name, (result as { llmContent: string }).llmContent])).toEqual([
      ['slow', 'first'],
      ['never', ''],
      ['quick', 'third'],
      ['unknown', 'of a call that is not there'],
      ['again', 'again'],
    ]);
    expect(await exported(id)).toBe(await document(id));
  });

  it('keeps texts of any length, and redacts each', async () => {
    const { journal, exported, document } = await world();
    const long = 'a long text, 語 and "quotes"\n'.repeat(40_000);
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const id = await journal([
      event.said('user', `${long} ${secret}`),
      event.asked('a', 'read', { path: secret }),
      event.finished('a', `${secret} ${long}`),
    ]);
    expect(await exported(id)).toBe(await document(id));
    const redacted = await exported(id, { redact: true });
    expect(redacted).not.toContain(secret);
    expect(JSON.parse(redacted).toolCalls[0].result.llmContent).toContain(long);
  });
});
