// The workload with its checker, on stores that are wrong on purpose: their faults are found.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OllmError } from '../../../lib/errors/index.ts';
import { openFileStore } from '../../../lib/file-store/file-store.ts';
import type { JournalStore, JournalWriter } from '../../../lib/journal/types.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../lib/platform/index.ts';
import { make } from '../../journal/store.contract.ts';
import { until } from '../../support/until.ts';
import { contradictions } from './history.ts';
import { readWhole, startWorkload } from './workload.ts';

describe('a workload', () => {
  let directory: string;
  let store: JournalStore;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ollm-workload-'));
    const ports = { fileSystem: nodeFileSystem, clock: systemClock, ids: systemIds, log: silentLog };
    store = openFileStore({ ...ports, process: thisProcess('a test') }, { directory });
    await make(store, 'one');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** Refuses each fifth append: truthfully, or after it has stored it. */
  function refusing({ isStored }: { readonly isStored: boolean }): JournalStore {
    let appends = 0;
    const withRefusals = (writer: JournalWriter): JournalWriter =>
      new Proxy(writer, {
        get(target, key) {
          if (key !== 'append') {
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          }
          return async (...args: Parameters<JournalWriter['append']>) => {
            appends += 1;
            if (appends % 5 !== 0) return target.append(...args);
            if (isStored) await target.append(...args);
            throw new OllmError('JOURNAL_LOCKED', 'It was refused.');
          };
        },
      });
    return { ...store, openWriter: async (id, options) => withRefusals(await store.openWriter(id, options)) };
  }

  async function contradictionsOf(wrong: JournalStore): Promise<string[]> {
    const workload = startWorkload(wrong, 'one', { writer: 'w', rest: 0 });
    const refused = () => workload.operations.filter(({ outcome }) => outcome.kind === 'refused').length;
    await until(() => refused() >= 6);
    await workload.stop();
    return contradictions(workload.operations, await readWhole(store, 'one'));
  }

  it('accepts a store that refuses and stores nothing of it', async () => {
    expect(await contradictionsOf(refusing({ isStored: false }))).toEqual([]);
  });

  it('detects a store that refuses an append and stores it', async () => {
    expect(await contradictionsOf(refusing({ isStored: true }))).toContainEqual(
      expect.stringContaining('was refused, and is there'),
    );
  });
});
