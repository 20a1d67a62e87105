import picocolors from 'picocolors';
import { eventLine } from '../../../lib/cli/event-line.ts';
import { shortIds } from '../../../lib/cli/session-table.ts';
import { createPaint } from '../../../lib/display/paint.ts';
import { tableLines } from '../../../lib/display/table.ts';
import { textWidth } from '../../../lib/display/width.ts';
import type { JsonObject, StoredEvent } from '../../../lib/journal/types.ts';

const colors = picocolors.createColors(false);

function stored(type: string, data: JsonObject): StoredEvent {
  const raw = new Uint8Array();
  const position = { seq: 7, offset: 0, xxh64: '' };
  return { seq: 7, ts: '2026-11-21T20:49:00.000Z', type, data, position, prev: '', xxh64: '', offset: 0, end: 0, raw };
}

describe('lines that ollm writes to a terminal', () => {
  it('shorten ids to unique prefixes, and leave short names whole', () => {
    const ids = [
      '550e8400-e29b-41d4-a716-446655440000',
      '550e8400-e29c-41d4-a716-446655440000',
      'notes',
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    ];
    expect(shortIds(ids)).toEqual(['550e8400-e29b', '550e8400-e29c', 'notes', 'f47ac10b']);
  });

  it('fit a table to the width, dropping columns on a narrow terminal', () => {
    const table = (width: number) => {
      const lines = tableLines(
        [
          { title: 'ID', cells: ['a', 'bb'] },
          { title: 'SIZE', cells: ['1', '22'], align: 'right', dropAt: 30 },
          { title: 'TITLE', cells: ['x'.repeat(60), 'line\nbreak\u001b[2J'], grows: true },
        ],
        { width, header: 'dim' },
      );
      return [...lines].map(createPaint(false).line);
    };
    expect(table(40)).toEqual(['ID  SIZE  TITLE', `a      1  ${'x'.repeat(29)}…`, 'bb    22  line break␛[2J']);
    expect(table(20)).toEqual(['ID  TITLE', `a   ${'x'.repeat(15)}…`, 'bb  line break␛[2J']);
  });

  it('show an event on one line, with any contents', () => {
    const line = (type: string, data: JsonObject, width?: number) => eventLine(stored(type, data), { colors, width });
    expect(line('message.added', { role: 'user', parts: [{ type: 'text', text: 'a\nb\u001b]52;c;x\u0007' }] })).toBe(
      '20:49:00     7 message.added        user: a b␛]52;c;x␇',
    );
    expect(line('message.added', { role: 7, parts: 'none' })).toContain('7:');
    expect(line('tool.finished', {})).toContain('tool.finished');
    expect(line('garden.watered', { litres: 3 })).toContain('{"litres":3}');
    expect(textWidth(line('turn.started', { input: '漢'.repeat(100) }, 60))).toBeLessThanOrEqual(60);
  });
});
