// The counts of a request: reported counts stay, and missing ones are marked estimates.
import { countedUsage } from '../../../lib/turn/request/counted.ts';
import { emptyReply, takeSignal } from '../../../lib/turn/request/reply.ts';

const estimate = { inputTokens: 50, outputTokens: 5 };

test.each([
  ['both', { inputTokens: 11, outputTokens: 7 }, { inputTokens: 11, outputTokens: 7 }, 'provider'],
  ['the output only', { outputTokens: 7 }, { inputTokens: 50, outputTokens: 7 }, 'estimate'],
  ['the input only', { inputTokens: 11 }, { inputTokens: 11, outputTokens: 5 }, 'estimate'],
  ['0 for the input', { inputTokens: 0, outputTokens: 0 }, estimate, 'estimate'],
  ['nothing', undefined, estimate, 'estimate'],
] as const)('a provider that reports %s', (_title, usage, counts, source) => {
  const reply = emptyReply();
  takeSignal(reply, { type: 'text', text: 'Hello.' });
  if (usage !== undefined) takeSignal(reply, { type: 'usage', usage });
  expect(countedUsage(reply, estimate)).toEqual({ usage: counts, source });
});

test('a reported output of 0 is used if the answer is empty', () => {
  const reply = emptyReply();
  takeSignal(reply, { type: 'usage', usage: { inputTokens: 11, outputTokens: 0 } });
  expect(countedUsage(reply, estimate)).toMatchObject({ usage: { outputTokens: 0 }, source: 'provider' });
});

test('an input that was reported early stays if the end does not repeat it', () => {
  const reply = emptyReply();
  takeSignal(reply, { type: 'input-usage', usage: { inputTokens: 40, cachedTokens: 30 } });
  takeSignal(reply, { type: 'usage', usage: { outputTokens: 7 } });
  expect(countedUsage(reply, estimate).usage).toEqual({ inputTokens: 40, cachedTokens: 30, outputTokens: 7 });
});
