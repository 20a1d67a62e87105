import fc from 'fast-check';
import { formatAddress, importedId, parseAddress } from '../../lib/agents/address.ts';
import { isSessionId } from '../../lib/journal/format.ts';

describe('the address of a foreign session', () => {
  it('reads back as it was written', () => {
    const id = fc.string({ minLength: 1 }).filter((text) => !text.includes('#'));
    const record = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom('claude', 'codex'), id, record, (agent, id, record) => {
        const address = record === undefined ? { agent, id } : { agent, id, record };
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it.each(['plain', 'a-name', '', ':id', 'claude:', 'Claude:id', '#x'])('is not “%s”', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe('the id of an import', () => {
  it('is always a valid session id, and no two sessions share one', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2 });
    fc.assert(
      fc.property(ids, (some) => {
        const imported = some.map((id) => importedId('claude', id));
        expect(imported.every(isSessionId)).toBe(true);
        expect(new Set(imported).size).toBe(some.length);
      }),
    );
  });

  it('is readable if the foreign id allows it', () => {
    expect(importedId('claude', '5f3c-01')).toBe('claude-5f3c-01');
    expect(importedId('claude', '5F3C')).toMatch(/^claude-[a-z2-7]{26}$/);
    expect(importedId('opencode', 'ses_7Qx')).toMatch(/^opencode-[a-z2-7]{26}$/);
  });
});
