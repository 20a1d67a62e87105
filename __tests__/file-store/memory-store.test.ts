import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { CREATED, read, say, storeContract, storeInMemory } from '../journal/store.contract.ts';

storeContract('the store in memory', () => storeInMemory());

describe('the store in memory', () => {
  it('is empty, names its kind, and keeps nothing for the next store', async () => {
    const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('a test'), log: silentLog };
    const store = openMemoryStore(ports);
    const writer = await store.create('one', CREATED);
    await writer.append(say('hello'));
    await writer.close();
    expect(store.location).toBe('memory');
    expect(await read(store, 'one')).toEqual(['hello']);
    expect(await openMemoryStore(ports).list()).toEqual([]);
  });
});
