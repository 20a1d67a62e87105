import { OllmError } from '../../lib/errors/index.ts';
import { createPipedAnswer } from '../../lib/repl/piped-answer.ts';
import { createTurnView } from '../../lib/repl/turn-view.ts';

function open() {
  const said: string[] = [];
  const surface = createPipedAnswer(
    () => {},
    (line) => said.push(line),
  );
  const voice = {
    notice: (text: string) => void said.push(text),
    problem: (message: string, hint = '') => void said.push(message, hint),
  };
  return { view: createTurnView(surface, voice), said };
}
const failure = new OllmError('PROVIDER_FAILED', 'mock answered 401.', { hint: 'Check the key.' });
const HELP = '/retry asks again. Your next message takes this question along, unless /undo takes it out.';

describe('the end of a turn', () => {
  it('says that a part is kept only if a part arrived', () => {
    const before = open();
    before.view.show({ type: 'cancelled' });
    expect(before.said).toEqual(['Cancelled.']);
    const within = open();
    within.view.show({ type: 'delta', content: 'Half' });
    within.view.show({ type: 'cancelled' });
    expect(within.said).toEqual(['Cancelled. The part that arrived is kept.']);
  });

  it('names helpful commands if a provider failed before it answered anything', () => {
    const { view, said } = open();
    view.show({ type: 'error', error: failure });
    expect(said).toEqual(['mock answered 401.', `Check the key. ${HELP}`]);
  });

  it("names no commands if a part of the answer came, or the failure is not the provider's", () => {
    const within = open();
    within.view.show({ type: 'delta', content: 'Half' });
    within.view.show({ type: 'error', error: failure });
    const other = open();
    other.view.show({ type: 'error', error: new OllmError('JOURNAL_FULL', 'The disk is full.') });
    expect([...within.said, ...other.said].join(' ')).not.toContain('/retry');
  });

  it('names the next attempt and the number of attempts', () => {
    const { view, said } = open();
    view.show({ type: 'retry', reason: 'mock answered 500.', attempt: 2, attempts: 4, delayMs: 700 });
    expect(said).toEqual(['mock answered 500. Attempt 2 of 4 in 1 s.']);
  });
});
