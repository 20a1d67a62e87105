import fc from 'fast-check';
import { UnreadBytes } from '../../lib/server/unread-bytes.ts';

const MOST = 100;

it('all clients together never exceed the bound of unread bytes, and a client that reads is never cut off', () => {
  const step = fc.record({ client: fc.nat(9), bytes: fc.integer({ min: 1, max: 50 }), reads: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const unread = new UnreadBytes(MOST);
      const clients = Array.from({ length: 10 }, () => ({ writableLength: 0, isGone: false }));
      for (const client of clients) {
        unread.add(client, () => {
          expect(client.writableLength).toBeGreaterThan(0);
          client.isGone = true;
          client.writableLength = 0;
        });
      }
      for (const { client: number, bytes, reads } of steps) {
        const client = clients[number]!;
        if (client.isGone) continue;
        if (reads) client.writableLength = 0;
        unread.makeRoom(bytes);
        if (client.isGone) continue;
        client.writableLength += bytes;
        unread.note(client);
        expect(clients.reduce((sum, { writableLength }) => sum + writableLength, 0)).toBeLessThanOrEqual(MOST);
      }
    }),
  );
});

it('a client that left has no unread bytes', () => {
  const unread = new UnreadBytes(MOST);
  const left = { writableLength: 0 };
  const stays = { writableLength: 0 };
  const gone: unknown[] = [];
  for (const client of [left, stays]) unread.add(client, () => gone.push(client));
  for (const client of [left, stays]) {
    client.writableLength = 50;
    unread.note(client);
  }
  unread.remove(left);
  unread.makeRoom(50);
  expect(gone).toEqual([]);
  unread.makeRoom(51);
  expect(gone).toEqual([stays]);
});
