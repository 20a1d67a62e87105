import type { NewOllmEvent } from '../../lib/events/index.ts';
import { surveyFold, withFigures } from '../../lib/exporters/head-fold.ts';
import { type TranscriptBlock, transcript } from '../../lib/exporters/transcript.ts';
import { replay } from '../../lib/projections/replay.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { event, readerOf, stored } from '../support/event-list.ts';
import { batched, eventItems } from './items.ts';

const surveyOf = async (...events: NewOllmEvent[]) => {
  const { states } = await replay(readerOf(stored(events)), { survey: surveyFold, summary: summaryFold });
  return withFigures(states.survey, states.summary);
};

describe('the head of an export', () => {
  it('has the times at which a foreign program recorded the session', async () => {
    const survey = await surveyOf(
      event.created({ at: '2024-01-15T10:30:00Z' }),
      event.said('user', 'Go.', { at: '2024-01-15T10:31:00Z' }),
      event.said('assistant', 'Done.', { at: '2024-01-15T10:32:00Z' }),
      { type: 'session.closed', data: { reason: 'exit' } },
    );
    expect([survey.startedAt, survey.lastActivityAt]).toEqual(['2024-01-15T10:30:00Z', '2024-01-15T10:32:00Z']);
  });

  it('has the turns and the last activity of a list, also without turns of ollm', async () => {
    const at = (time: string) => ({ at: `2024-01-15T10:${time}:00Z` });
    const asked = event.asked('a');
    const survey = await surveyOf(
      event.created(at('30')),
      event.said('user', 'Go.', at('31')),
      { ...asked, data: { ...asked.data, ...at('35') } } as NewOllmEvent,
      event.said('user', 'And on.', at('33')),
    );
    expect(survey).toMatchObject({ turns: 2, messages: 2, toolCalls: 1, lastActivityAt: '2024-01-15T10:35:00Z' });
  });

  it('leaves out a model without a name, as of a program that first names it in its answer', async () => {
    const changed: NewOllmEvent = { type: 'model.changed', data: { provider: 'anthropic', model: 'claude-test-1' } };
    const { models } = await surveyOf(event.created({ provider: 'anthropic', model: '' }), changed, changed);
    expect(models).toEqual([{ provider: 'anthropic', model: 'claude-test-1' }]);
  });

  it('counts a message that came in several events once, and its usage by the last report', async () => {
    const survey = await surveyOf(
      event.created(),
      event.said('assistant', 'One', { message: 'm1' }),
      event.used(10, 1, { message: 'm1', totalCost: 1 }),
      event.said('assistant', 'and two.', { message: 'm1' }),
      event.used(10, 5, { message: 'm1', totalCost: 2 }),
      event.said('assistant', 'Another.'),
      event.used(20, 3),
    );
    expect(survey).toMatchObject({ messages: 2, spent: { calls: 2, inputTokens: 30, outputTokens: 8, totalCost: 2 } });
  });
});

describe('a transcript', () => {
  it('shows the original time of a message and of a call', async () => {
    const at = '2024-01-15T10:31:00Z';
    const asked = event.asked('a');
    const items = eventItems(event.said('user', 'Go.', { at }), {
      ...asked,
      data: { ...asked.data, at },
    } as NewOllmEvent);
    const blocks: TranscriptBlock[] = [];
    for await (const group of transcript(batched(items))) blocks.push(...group);
    expect(blocks.map((block) => ('ts' in block ? block.ts : undefined))).toEqual([at, at]);
  });
});
