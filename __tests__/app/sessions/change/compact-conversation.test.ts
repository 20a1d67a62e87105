import { previewCompaction } from '../../../../lib/app/sessions/change/compact-conversation.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import type { Provider } from '../../../../lib/providers/provider.ts';
import { appWorld } from '../../world.ts';

describe('the forecast of the next compaction', () => {
  it.each<[string, Partial<Provider>, Record<string, string>, string]>([
    ['the search', { name: 'offline' }, {}, 'hybrid'],
    ['a model without one of its own', { name: 'box' }, {}, 'hybrid'],
    ['a provider that has one', { name: 'openai' }, {}, 'provider'],
    [
      'that provider, with a separate model for summaries',
      {},
      { OLLM_SERVICES__COMPRESSION__SUMMARY_MODEL: 'm-2' },
      'hybrid',
    ],
    ['that provider, without summaries', {}, { OLLM_SERVICES__COMPRESSION__STRATEGY: 'truncate' }, 'truncate'],
  ])('names the strategy: %s', async (_, { name = 'openai' }, env, strategy) => {
    const { app } = await appWorld({ env });
    const conversation = await openSession(app, { kind: 'new' });
    const { provider } = conversation.choice;
    const capabilities = { ...provider.capabilities, compaction: name === 'openai' };
    const compact = () => Promise.reject(new Error('This test compacts nothing.'));
    const choice = { ...conversation.choice, provider: { ...provider, name, capabilities, compact } };
    expect(previewCompaction(app, { ...conversation, choice }).strategy).toBe(strategy);
    await conversation.session.close('exit');
  });
});
