import { systemIds } from '../../lib/platform/ids.ts';

describe('ids', () => {
  it('are random UUIDs of version 4, in lower case, and never the same', () => {
    const ids = Array.from({ length: 1000 }, () => systemIds.uuid());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(1000);
  });

  it('and tokens have 16 hex digits, each of any value', () => {
    const tokens = Array.from({ length: 1000 }, () => systemIds.token());
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(tokens).size).toBe(1000);
    for (let place = 0; place < 16; place++) {
      expect(new Set(tokens.map((token) => token[place])).size).toBe(16);
    }
  });
});
