import fc from 'fast-check';
import { createSummaryBufferMemory, type SessionMessage } from '../../lib/index.ts';
import { estimateParts, estimatingCounter } from '../../lib/tokens/estimate.ts';

const said = (role: SessionMessage['role'], text: string): SessionMessage => ({
  role,
  parts: [{ type: 'text', text }],
  timestamp: '2026-01-01T00:00:00.000Z',
});
const tokensOf = (messages: readonly SessionMessage[]) =>
  messages.reduce((sum, { parts }) => sum + estimateParts(parts), 0);
const turns = (count: number, words = 40) =>
  Array.from({ length: count }, (_, index) =>
    said(index % 2 ? 'assistant' : 'user', `${index} ${'word '.repeat(words)}`),
  );

describe('a memory of a summary and recent messages', () => {
  it('keeps everything unchanged while it fits', async () => {
    const memory = createSummaryBufferMemory();
    for (const message of turns(4)) memory.addMessage(message);
    await memory.prune(10_000);
    expect(memory.toContext()).toEqual(turns(4));
    expect([memory.recentBuffer, memory.summary]).toEqual([turns(4), '']);
  });

  it('keeps preferences, decisions and open work through any number of prunings, within the limit', async () => {
    const memory = createSummaryBufferMemory();
    memory.addMessage(said('system', 'You are terse.'));
    memory.addMessage(said('user', 'Please never touch lib/vendor.'));
    memory.addMessage(said('assistant', 'We decided to use XXH64. Still to do: the tests.'));
    for (let round = 0; round < 5; round++) {
      for (const message of turns(20)) memory.addMessage(message);
      await memory.prune(800);
      expect(tokensOf(memory.toContext())).toBeLessThanOrEqual(800);
      expect(memory.summary).toContain('never touch lib/vendor');
      expect(memory.summary).toContain('decided to use XXH64');
      expect(memory.toContext()[0]).toEqual(said('system', 'You are terse.'));
      expect(memory.recentBuffer.at(-1)).toEqual(turns(20).at(-1));
    }
    expect(memory.toContext().filter(({ role }) => role === 'system')).toHaveLength(2);
  });

  it('has a summary of a model if there is one, and drops the oldest messages if that fails', async () => {
    const asked: string[] = [];
    const model = createSummaryBufferMemory({
      summaries: async ({ text }) => {
        asked.push(text);
        return ['Preferences', 'Decisions', 'Open work', 'Paths', 'Errors']
          .map((title) => `### ${title}\n- ok`)
          .join('\n');
      },
    });
    const broken = createSummaryBufferMemory({ summaries: () => Promise.reject(new Error('gone')) });
    for (const memory of [model, broken]) {
      for (const message of turns(30)) memory.addMessage(message);
      await memory.prune(600);
      expect(tokensOf(memory.toContext())).toBeLessThanOrEqual(600);
    }
    expect(asked).toHaveLength(1);
    expect(model.summary).toContain('### Decisions\n- ok');
    expect(broken.summary).toBe('');
  });

  it('loses no message that comes during a pruning, and ends with the newest messages in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 0, max: 5 }), async (first, later) => {
        const memory = createSummaryBufferMemory();
        for (const message of turns(first)) memory.addMessage(message);
        const pruning = Promise.all([memory.prune(400), memory.prune(400)]);
        const more = Array.from({ length: later }, (_, index) => said('user', `late ${index}`));
        for (const message of more) memory.addMessage(message);
        await pruning;
        expect(memory.recentBuffer.slice(memory.recentBuffer.length - later)).toEqual(more);
      }),
      { numRuns: 100 },
    );
  });

  it('prunes again after a pruning failed, whose caller has the error', async () => {
    let isBroken = true;
    const count = (text: string) => {
      if (isBroken) throw new Error('no tokens');
      return estimatingCounter.count(text);
    };
    const memory = createSummaryBufferMemory({ counter: { ...estimatingCounter, count } });
    for (const message of turns(30)) memory.addMessage(message);
    await expect(memory.prune(600)).rejects.toThrow('no tokens');
    isBroken = false;
    await memory.prune(600);
    expect(tokensOf(memory.toContext())).toBeLessThanOrEqual(600);
  });
});
