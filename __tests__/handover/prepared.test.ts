import type { HandedItem } from '../../lib/handover/item.ts';
import { prepare, writtenTime } from '../../lib/handover/prepared.ts';
import { loadTarget } from '../../lib/handover/targets.ts';

const startedAt = '2026-01-02T09:00:00.000Z';

describe('items that are prepared for a foreign program', () => {
  it('have times in UTC with milliseconds, none earlier than the previous one', async () => {
    const times = ['2026-01-02T12:00:00+02:00', '2026-01-02T11:30:00+02:00', undefined, 'soon', '2026-01-02T10:00:01Z'];
    const { items } = await prepared(times.map((at) => said({ kind: 'text', text: 'x' }, at)));
    const ten = '2026-01-02T10:00:00.000Z';
    expect(items.map(({ at }) => at)).toEqual([ten, ten, ten, ten, '2026-01-02T10:00:01.000Z']);
  });

  it('name a file and a picture whose bytes are missing, and count each as such', async () => {
    const { items, changes } = await prepared([
      said({ kind: 'missing', file: 'plan.pdf', mediaType: 'application/pdf' }),
      said({ kind: 'missing', file: undefined, mediaType: 'image/png' }),
    ]);
    expect(items.flatMap((item) => (item.kind === 'message' ? item.pieces : []))).toEqual([
      { kind: 'text', text: '[plan.pdf, application/pdf: not carried]' },
      { kind: 'text', text: '[picture, image/png: not carried]' },
    ]);
    expect(changes).toMatchObject({ files: 1, pictures: 1 });
  });

  it('keep both ends of a result over 262,144 characters, cut between whole characters', async () => {
    const result = `${'a'.repeat(131_071)}\u{1f6a2}${'b'.repeat(200_000)}`;
    const call = { kind: 'call', step: 1, name: 'Read', args: {}, end: 'ok', result, pictures: [] } as const;
    const { items, changes } = await prepared([call]);
    const written = items[0]?.kind === 'call' ? items[0].result : '';
    expect(written.isWellFormed()).toBe(true);
    expect(written).toMatch(/^a{131071}\n\[\d+ characters are left out: ollm show oak\]\nb{131072}$/);
    expect(changes.shortened).toBe(1);
  });
});

it.each([undefined, '', 'soon', '+012026-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'])(
  '%p is not a time that a program could read',
  (at) => {
    expect(writtenTime(at)).toBeUndefined();
  },
);

function said(piece: Extract<HandedItem, { kind: 'message' }>['pieces'][number], at?: string): HandedItem {
  return { kind: 'message', role: 'user', pieces: [piece], at };
}

async function prepared(items: readonly HandedItem[]) {
  return prepare(items, { target: await loadTarget('codex'), from: 'oak', callsAsText: false, startedAt });
}
