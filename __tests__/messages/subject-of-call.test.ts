import fc from 'fast-check';
import { subjectOfCall } from '../../lib/messages/subject-of-call.ts';

describe('the subject of a call', () => {
  it.each([
    [{ command: 'npm test', description: 'Runs the tests' }, 'npm test'],
    [{ cmd: ['bash', '-lc', 'ls'], workdir: '/p' }, 'bash -lc ls'],
    [{ args: ['log', '-n', '3'], cwd: '/p' }, 'log -n 3'],
    [{ content: 'long', filePath: 'a.md' }, 'a.md'],
    [{ notebook_path: 'a.ipynb' }, 'a.ipynb'],
    [{ subagent_type: 'any', prompt: 'Look around', description: 'Look' }, 'Look'],
    [{ command: ' ', query: 'wheel' }, 'wheel'],
    [{ command: ['ls', 1], query: 'wheel' }, 'wheel'],
    [{ depth: 2 }, undefined],
    [[], undefined],
    ['text', undefined],
    [null, undefined],
  ])('of %j is %j', (args, subject) => expect(subjectOfCall(args)).toBe(subject));

  it('is a text with characters, for any arguments', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (args) => {
        for (const given of [args, { command: args, name: args }]) {
          expect(subjectOfCall(given)?.trim()).not.toBe('');
        }
      }),
      { numRuns: 200 },
    );
  });
});
