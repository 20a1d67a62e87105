import { textsFold } from '../../lib/catalog/session-texts.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { replay } from '../../lib/projections/replay.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

it('the index and the view assign a result to the same of two open calls with one id', async () => {
  const events = stored([
    event.created(),
    event.asked('c', 'bash', { command: 'first' }),
    event.asked('c', 'file_read', { path: 'second' }),
    event.finished('c', 'the output'),
  ]);
  const folds = { texts: textsFold({ outputs: true, clean: (text) => text }), view: viewFold };
  const { states } = await replay(readerOf(events), folds);
  const ended = currentView(states.view).find((item) => item.kind === 'call' && item.result !== undefined);
  const output = states.texts.rows.find(({ kind }) => kind === 'output');
  expect(ended).toMatchObject({ name: 'file_read' });
  expect(output).toMatchObject({ tool: 'file_read', about: 'path: second' });
});
