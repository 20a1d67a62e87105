// The library's storage for one machine is in memory; the lasting ones are servers.
import { EventStore, EventType } from '@castore/core';
import { InMemoryEventStorageAdapter } from '@castore/event-storage-adapter-in-memory';

const chats = new EventStore({
  eventStoreId: 'CHATS',
  eventTypes: [new EventType({ type: 'MESSAGE_ADDED' })],
  reducer: (state, { payload }) => ({ messages: [...(state?.messages ?? []), payload] }),
  eventStorageAdapter: new InMemoryEventStorageAdapter(),
});

export async function open() {
  const aggregateId = 'garden';
  let { version } = (await chats.getAggregate(aggregateId)).aggregate ?? { version: 0 };
  return {
    append: (payload) => chats.pushEvent({ aggregateId, version: ++version, type: 'MESSAGE_ADDED', payload }),
    messages: async () => (await chats.getEvents(aggregateId)).events.map(({ payload }) => payload),
    close: async () => {},
  };
}
