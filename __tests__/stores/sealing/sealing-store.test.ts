import { sealingStore } from '../../../lib/stores/sealing/sealing-store.ts';
import { createKeyring } from '../../../lib/stores/sealing/unlock.ts';
import { storeContract, storeInMemory } from '../../journal/store.contract.ts';

const ask = () => {
  throw new Error('no passphrase is to be asked for');
};

storeContract('a sealing store, with unencrypted sessions', () =>
  storeInMemory((store, fileSystem) =>
    sealingStore(store, { keyring: createKeyring({ fileSystem, keyFile: undefined, ask }), encryptNew: false }),
  ),
);
