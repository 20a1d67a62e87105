import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { redactingStore } from '../../lib/stores/redacting-store.ts';
import { CREATED, read, say } from '../journal/store.contract.ts';

const SECRET = 'planted-secret';
const redact = (text: string) => text.replaceAll(SECRET, '[gone]');
const TITLED = { ...CREATED, title: `About ${SECRET}` };
const texts = async (store: JournalStore, id: string) => {
  const reader = store.openReader(id);
  try {
    return [String((await reader.first())?.data.title), ...(await read(store, id))];
  } finally {
    reader.close();
  }
};

describe('no secret reaches the store, if a session', () => {
  let store: JournalStore;
  beforeEach(() => {
    const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('a test'), log: silentLog };
    store = redactingStore(openMemoryStore(ports), redact);
  });

  it('is created and appended to, now and later', async () => {
    const writer = await store.create('notes', TITLED);
    await writer.append([say(`one ${SECRET}`)]);
    await writer.close();
    const later = await store.openWriter('notes');
    await later.append(say(`two ${SECRET}`));
    await later.close();
    expect(await texts(store, 'notes')).toEqual(['About [gone]', 'one [gone]', 'two [gone]']);
  });

  it('is made from a different one, as a fork or an upgrade is', async () => {
    await store.createFilled('notes', {
      created: TITLED,
      fill: async (writer) => void (await writer.append(say(`one ${SECRET}`))),
    });
    expect(await texts(store, 'notes')).toEqual(['About [gone]', 'one [gone]']);
  });

  it('begins again', async () => {
    await (await store.create('notes', CREATED)).close();
    await store.replace('notes', {
      suffix: 'reset',
      created: () => TITLED,
      fill: async (writer) => void (await writer.append(say(`one ${SECRET}`))),
    });
    expect(await texts(store, 'notes')).toEqual(['About [gone]', 'one [gone]']);
  });

  it('stores a large output in a file', async () => {
    const sha256 = await store.putBlob(Buffer.from(`x ${SECRET}`));
    expect(Buffer.from((await store.readBlob(sha256)) ?? []).toString()).toBe('x [gone]');
  });
});
