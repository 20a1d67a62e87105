import { storeContractWithoutDisk } from '../journal/store.contract.ts';
import { describeWithServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStoreUnderTest } from '../support/nats-store.ts';

describeWithServer('a store on a server of NATS', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.dispose());

  storeContractWithoutDisk('it', () => natsStoreUnderTest(server.url));
});
