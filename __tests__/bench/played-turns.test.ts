import { generatedTurns, take, turnsUpTo } from '../../bench/generated-session.ts';
import { charactersOf, newTexts, scriptOf } from '../../bench/played-turns.ts';

describe('the script of a generated turn', () => {
  const turns = [...take(generatedTurns({ seed: 3 }), 20)];

  it('has its question, its calls with what came of each, and its answer', () => {
    for (const events of turns) {
      const script = scriptOf(events);
      const started = events.find((event) => event.type === 'turn.started');
      const finished = events.filter((event) => event.type === 'tool.finished');
      expect(script.question).toBe(started!.data.input);
      expect(script.calls.map(({ output }) => output)).toEqual(finished.map(({ data }) => data.result.llmContent));
      expect(events.at(-3)).toMatchObject({ data: { parts: [{ text: script.answer }] } });
    }
  });

  it('is as long as the texts that it adds', () => {
    const script = { question: 'ab', calls: [{ args: {}, output: 'cde' }], answer: 'f' };
    expect(charactersOf(newTexts(script))).toBe(6);
  });
});

describe('turns up to a number of events', () => {
  it('are whole, and no more than it takes', () => {
    const turns = [...turnsUpTo(100, 1)];
    const count = turns.flat().length;
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count - turns.at(-1)!.length).toBeLessThan(100);
    expect(turns.every((turn) => turn.at(-1)!.type === 'turn.ended')).toBe(true);
  });
});
