import type { SentEvent } from '../../../lib/page/api/types.ts';
import { blocksOf } from '../../../lib/page/model/blocks.ts';
import { lineOf } from '../../../lib/page/model/line-of-block.ts';

const event = (seq: number, type: string, data: object): SentEvent =>
  ({ seq, ts: '2026-01-01T00:00:00.000Z', type, data }) as unknown as SentEvent;

it('a block is summarized in one line, with characters that reorder text escaped', () => {
  const lines = blocksOf([
    event(1, 'message.added', { role: 'user', parts: [{ type: 'text', text: 'one\n\ntwo \u202ethree' }] }),
    event(2, 'message.added', { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }] }),
    event(3, 'tool.requested', { callId: 'a', name: 'bash', args: { command: 'ls\n-l' } }),
    event(4, 'tool.requested', { callId: 'b', name: 'file_read', args: { path: 'x.ts' } }),
    event(5, 'loop.detected', { kind: 'repeated-call', details: 'four times' }),
    event(6, 'compaction.completed', { covers: { from: 1, to: 2 } }),
  ]).map(lineOf);
  expect(lines).toEqual([
    'one two \\u202ethree',
    'Nothing in words',
    'bash ls -l, file_read x.ts',
    'The model repeats itself: four times',
    'Compacted',
  ]);
});
