import { exportJsonl, exportRedactedJsonl } from '../../lib/exporters/jsonl.ts';
import { redactedItems } from '../../lib/exporters/redacted.ts';
import { batched, eventItems, joined, said } from './items.ts';

const redact = (text: string) => text.replaceAll('hunter2', '[secret]');

describe('a session as JSON lines', () => {
  const raw = new TextEncoder().encode('{"seq":0,  "as":"it stands \ud83d\ude00"}');
  const line = {
    seq: 0,
    ts: '2026-11-21T20:49:00.000Z',
    type: 'a.b',
    data: { hunter2: ['x hunter2', { deep: 'hunter2' }], count: 2 },
    raw,
    prev: '0000000000000000',
    xxh64: '0000000000000000',
    position: { seq: 0, offset: 1, xxh64: '0000000000000000' },
    offset: 0,
    end: 1,
  };

  it('is the journal byte for byte', async () => {
    const text = new TextDecoder().decode(raw);
    expect(await joined(exportJsonl(batched([line, line])))).toBe(`${text}\n${text}\n`);
  });

  it('has no checksum once it is redacted', async () => {
    expect(await joined(exportRedactedJsonl(batched([line]), redact))).toBe(
      '{"seq":0,"ts":"2026-11-21T20:49:00.000Z","type":"a.b","data":{"[secret]":["x [secret]",{"deep":"[secret]"}],"count":2}}\n',
    );
  });
});

describe('redacted items', () => {
  it('have no secret at any depth, and keep their place', async () => {
    const [item] = (
      await Array.fromAsync(redactedItems(batched(eventItems(said('user', 'my hunter2'))), redact))
    ).flat();
    expect(item).toMatchObject({
      kind: 'event',
      event: { seq: 0, data: { parts: [{ type: 'text', text: 'my [secret]' }] } },
    });
  });
});
