import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPipedRepl } from '../../repl/piped-repl.ts';
import { parseLines } from '../../support/cli.ts';
import { says, scriptedProvider } from '../../support/scripted-provider.ts';

const open = { kind: 'new', name: 'talk', provider: 'scripted' } as const;

describe('the sampling settings', () => {
  it('are changed in a session, stored, sent to the model, and reset to the configuration', async () => {
    const provider = scriptedProvider(() => says('Yes.'));
    const parts = { providers: { scripted: async () => provider } };
    using repl = await openPipedRepl({ open, parts, settings: { OLLM_SAMPLING__SEED: '7' } });
    repl.enter(
      'One',
      '/config set sampling.temperature 0.2',
      '/config set sampling.stop END,STOP',
      'Two',
      '/config set sampling.temperature default',
      '/config set sampling.temperature 7',
      'Three',
    );
    repl.end();
    await repl.exitCode;
    expect(provider.requests.map(({ sampling }) => sampling)).toEqual([
      { seed: 7 },
      { seed: 7, temperature: 0.2, stop: ['END', 'STOP'] },
      { seed: 7, stop: ['END', 'STOP'] },
    ]);
    const events = parseLines(readFileSync(join(repl.home, 'session-data', 'talk.jsonl'), 'utf8'));
    const changes = events.filter(({ type }) => type === 'setting.changed').map(({ data }) => data);
    expect(changes).toEqual([
      { key: 'sampling.temperature', value: 0.2 },
      { key: 'sampling.stop', value: '["END","STOP"]' },
      { key: 'sampling.temperature', value: null },
    ]);
    expect(repl.shown.errors).toContain('sampling.temperature must be at most 2');
  });

  it("have the provider's own value unless a setting for all providers exists", async () => {
    const provider = scriptedProvider(() => says('Yes.'));
    const box = { baseUrl: 'http://127.0.0.1:9/v1', temperature: 0.9, topP: 0.5 };
    const settings = { OLLM_PROVIDERS__COMPATIBLE: JSON.stringify({ box }) };
    const parts = { providers: { box: async () => ({ ...provider, name: 'box' }) } };
    using repl = await openPipedRepl({ open: { ...open, provider: 'box', model: 'm-1' }, parts, settings });
    repl.enter('One', '/config set sampling.temperature 0.1', 'Two');
    repl.end();
    await repl.exitCode;
    expect(provider.requests.map(({ sampling }) => sampling)).toEqual([
      { temperature: 0.9, topP: 0.5 },
      { temperature: 0.1, topP: 0.5 },
    ]);
  });

  it('are reported once if the model does not support them', async () => {
    const provider = { ...scriptedProvider(() => says('Yes.')), unsent: async () => ['seed'] as const };
    const parts = { providers: { scripted: async () => provider } };
    using repl = await openPipedRepl({ open, parts, settings: { OLLM_SAMPLING__SEED: '7' } });
    repl.enter('One', 'Two');
    repl.end();
    await repl.exitCode;
    const said = (repl.shown.output + repl.shown.errors).split('m-1 (scripted) does not take seed').length - 1;
    expect(said).toBe(1);
  });
});
