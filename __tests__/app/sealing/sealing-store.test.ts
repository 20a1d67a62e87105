import { sealingStore } from '../../../lib/app/sealing/sealing-store.ts';
import { createKeyring } from '../../../lib/app/sealing/unlock.ts';
import { openFileStore } from '../../../lib/journal/file-store.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../../lib/platform/index.ts';
import { storeContract } from '../../journal/store.contract.ts';

storeContract('a store that could seal, with sessions that are not encrypted', () => {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  const ids = countingIds();
  const directory = '/home/sessions';
  const ask = () => {
    throw new Error('nobody is to be asked');
  };
  const open = () =>
    sealingStore(
      openFileStore({ fileSystem, clock, ids, process: thisProcess('a test'), log: silentLog }, { directory }),
      { keyring: createKeyring({ fileSystem, keyFile: undefined, ask }), encryptNew: false },
    );
  return {
    store: open(),
    fileSystem,
    directory,
    clock,
    another: open,
    symbolicLink: fileSystem.symbolicLink,
    dispose() {},
  };
});
