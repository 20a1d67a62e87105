import { createReplayer } from '../../lib/projections/replayer.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { lastExchange } from '../../lib/repl/earlier-messages.ts';
import { event, stored } from '../support/event-list.ts';

/** The sentence after the name of one call, when its session continues. */
function summaryOf(name: string, args: Record<string, unknown>, content?: string): string {
  const replayer = createReplayer({ view: viewFold });
  const events = [
    event.created(),
    event.said('user', 'Do it'),
    event.asked('c', name, args),
    event.finished('c', content),
  ];
  for (const one of stored(events)) replayer.see(one);
  const [call] = lastExchange(replayer.states.view).flatMap((said) => (said.kind === 'call' ? [said] : []));
  return call!.summary;
}

it.each([
  ['bash', { command: 'npm test', timeout_seconds: 9 }, 'npm test'],
  ['git', { args: ['log', '--oneline'] }, 'log --oneline'],
  ['file_edit', { old_string: 'a', new_string: 'b', path: 'lib/a.ts' }, 'lib/a.ts'],
  ['agent', { tools: ['bash'], task: 'Find the readers' }, 'Find the readers'],
  ['Shell', { cmd: ['ls', '-l'] }, 'ls -l'],
])('a call of %s in a resumed session is summarized from its arguments', (name, args, summary) => {
  expect(summaryOf(name, args)).toBe(summary);
});

it('a to-do list is summarized with the number of finished entries', () => {
  const todos = [
    { content: 'Read the code', status: 'completed' },
    { content: 'Mend it', status: 'in_progress' },
  ];
  expect(summaryOf('todo_write', { todos })).toBe('1 of 2 done, now: Mend it');
});

it('a call without a telling argument is shown only with its name', () => {
  expect(summaryOf('odd', { command: 7, path: [1], query: ' \n ', limit: 'ten' })).toBe('');
});

it('the summary of a call is one short line without control characters', () => {
  const summary = summaryOf('bash', { command: `echo \u001b[31m\n\t${'x'.repeat(5000)}` });
  expect(summary).toMatch(/^echo x{90,}…$/);
  expect(summary.length).toBeLessThanOrEqual(101);
});

it('a call that the user changed is shown only with its name, because the journal has the original arguments first', () => {
  const content = 'The user changed the arguments to {"command":"echo hello"}.\nhello';
  expect(summaryOf('bash', { command: 'npm test' }, content)).toBe('');
});
