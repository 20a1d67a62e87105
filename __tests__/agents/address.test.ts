import fc from 'fast-check';
import { formatAddress, idInAddress, importedId, parseAddress } from '../../lib/agents/address.ts';
import { insideAddress } from '../../lib/agents/inside.ts';
import { PARAMETERS } from '../../lib/api/parameters.ts';
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

describe('the id of a foreign session in its address', () => {
  const own = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
    fc
      .array(fc.constantFrom(' ', ',', '#', '%', '%20', '\t', '20', 'a', '\ud800'), { minLength: 1 })
      .map((all) => all.join('')),
  );

  it('is one that each command, list and route takes, and no two become one', () => {
    const route = new RegExp(PARAMETERS.id.pattern);
    fc.assert(
      fc.property(own, own, (some, other) => {
        const id = idInAddress(some);
        const address = formatAddress({ agent: 'claude', id });
        expect(address).toMatch(route);
        expect(insideAddress('claude', id, 'k'.repeat(100))).toMatch(route);
        expect(address).not.toMatch(/[\s,]/);
        expect(parseAddress(address)).toEqual({ agent: 'claude', id });
        expect(idInAddress(other) === id).toBe(other === some);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001', 'ses_7Qx', 'one/main', 'zeit-100%', 'größer(2)', 'a'.repeat(180)])(
    'is mostly that of its program: %s',
    (id) => {
      expect(idInAddress(id)).toBe(id);
    },
  );
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
