import { answerToCall } from '../../../lib/agents/codex/output.ts';

it.each([
  ['Wall time: 0.1 seconds\naborted by user', true],
  ['aborted by user', true],
  ['Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno', true],
  ['Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\naborted by user', false],
])('a result of Codex has failed if its heading says so: %j', (text, isError) => {
  expect(answerToCall(text).isError).toBe(isError);
});
