import { isPasswordOpen } from '../../lib/nats/open-password.ts';

const user = { name: 'me', password: 'secret' };

describe('a password for a server', () => {
  it.each([
    ['a user', { user }],
    ['a token', { token: 'secret' }],
  ])('is exposed to every machine on the way to a different one: of %s', (_, credentials) => {
    for (const server of ['nats://a.example:4222', 'nats://10.0.0.1', 'nats://[2001:db8::1]:4222', 'nats://0.0.0.0']) {
      expect(isPasswordOpen({ servers: [server], credentials })).toBe(true);
      expect(isPasswordOpen({ servers: ['nats://127.0.0.1:4222', server], credentials })).toBe(true);
      expect(isPasswordOpen({ servers: [server], credentials, tls: {} })).toBe(false);
    }
  });

  it.each([
    'nats://127.0.0.1:4222',
    'nats://localhost:4222',
    'nats://LOCALHOST',
    'nats://127.8.9.1',
    'nats://[::1]:4222',
  ])('stays on this machine: %s', (server) => {
    expect(isPasswordOpen({ servers: [server], credentials: { user } })).toBe(false);
  });

  it('is not sent by credentials that only sign, nor without credentials', () => {
    for (const credentials of [undefined, {}, { nkey: new Uint8Array(1) }, { credentials: new Uint8Array(1) }]) {
      expect(isPasswordOpen({ servers: ['nats://a.example:4222'], credentials })).toBe(false);
    }
  });
});
