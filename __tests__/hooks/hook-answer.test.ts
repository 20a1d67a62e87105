import fc from 'fast-check';
import { readAnswer } from '../../lib/hooks/hook-answer.ts';

const problemOf = (output: string) => {
  const read = readAnswer(output);
  return read.ok ? undefined : read.problem;
};

describe('the answer of a hook', () => {
  it.each(['', ' \n\t', '{}', '{"context":[]}'])('may be empty: %j', (output) => {
    const read = readAnswer(output);
    expect(read.ok && read.answer).toMatchObject({ context: [] });
    expect(read.ok && read.answer.veto).toBe(undefined);
  });

  it('may be context and a veto', () => {
    const context = [
      { key: 'tickets', content: 'none open', priority: 70, ttlSeconds: 60, trusted: true },
      { key: 'weather', content: 'rain' },
    ];
    const read = readAnswer(`\n${JSON.stringify({ context, veto: 'Not on a Friday.' })}\n`);
    expect(read).toEqual({ ok: true, answer: { context, veto: 'Not on a Friday.' } });
  });

  it.each([
    ['hello', 'something that is not JSON'],
    ['{"veto":"a"} {"veto":"b"}', 'something that is not JSON'],
    ['{"veto":"cut in the mid', 'something that is not JSON'],
    ['null', 'JSON that is not an object'],
    ['["veto"]', 'JSON that is not an object'],
    ['{"vetto":"no"}', 'a member "vetto"'],
    ['{"__proto__":{"veto":"no"}}', 'a member "__proto__"'],
    ['{"veto":true}', 'a veto that is not a text'],
    ['{"veto":""}', 'a veto that is not a text'],
    ['{"veto":null}', 'a veto that is not a text'],
    ['{"context":{}}', 'a context that is not a list'],
    ['{"context":[1]}', 'a context[0] that is not an object'],
    ['{"context":[{"key":"a"}]}', 'a context[0] without content'],
    ['{"context":[{"content":"a"}]}', 'a context[0] without key'],
    ['{"context":[{"key":"a","content":7}]}', 'a context[0].content that is not a string'],
    ['{"context":[{"key":"a","content":"b"},{"key":"a","content":"b","ttl":3}]}', 'a member "ttl" in context[1]'],
    ['{"context":[{"key":"a","content":"b","trusted":"yes"}]}', 'a context[0].trusted that is not a boolean'],
    ['{"context":[{"key":"a","content":"b","priority":1e999}]}', 'a context[0].priority that is not finite'],
    ['{"context":[{"key":"a","content":"b","ttlSeconds":0}]}', 'a context[0].ttlSeconds that is not above 0'],
    ['{"context":[{"key":"a","content":"b","ttlSeconds":1e300}]}', 'a context[0].ttlSeconds that is not above 0'],
    [JSON.stringify({ context: Array(101).fill({ key: 'a', content: 'b' }) }), 'with 101 context entries'],
  ])('is a failure if it is anything else: %s', (output, problem) => {
    expect(problemOf(output)).toContain(problem);
  });

  it('is read or refused for any text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (output) => {
        const read = readAnswer(output);
        if (read.ok) expect(Array.isArray(read.answer.context)).toBe(true);
        else expect(read.problem).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });
});
