import { chooseProvider, needsProbe } from '../../lib/providers/choose.ts';

const known = ['ollama', 'openai', 'offline'];
const host = 'http://127.0.0.1:11434';
const there = { answers: true, host, models: [{ name: 'llama3.2' }] } as const;
const gone = { answers: false, host, accepts: false, reason: 'refused' } as const;
const slow = { answers: false, host, accepts: true, reason: 'The server did not answer within 10 s.' } as const;

test('the flag wins over the configuration, and that over an Ollama that answers', () => {
  expect(chooseProvider({ flag: 'offline', configured: 'openai', known, ollama: there })).toMatchObject({
    provider: 'offline',
    by: 'flag',
  });
  expect(chooseProvider({ configured: 'openai', known, ollama: there })).toMatchObject({
    provider: 'openai',
    by: 'config',
  });
  expect(chooseProvider({ known, ollama: there })).toMatchObject({ provider: 'ollama', by: 'found' });
});

test.each([
  ['none was looked for', undefined, 'no Ollama was looked for'],
  ['none answers', gone, 'no Ollama answers at http://127.0.0.1:11434'],
  ['it accepts and does not answer', slow, 'did not answer within 10 s;'],
  ['it has no model', { ...there, models: [] }, 'ollama pull'],
])('offline answers if %s, and the sentence says so', (_title, ollama, why) => {
  const choice = chooseProvider({ known, ollama });
  expect(choice).toMatchObject({ provider: 'offline', by: 'fallback' });
  expect(choice.sentence).toContain(why);
  expect(choice.sentence).toContain('no language model');
});

test('every sentence says how to change the choice', () => {
  for (const input of [{ flag: 'openai' }, { configured: 'openai' }, { ollama: there }, { ollama: gone }])
    expect(chooseProvider({ known, ...input }).sentence).toContain('/provider or --provider changes it');
});

test('the sentence names the variable with the choice', () => {
  const configured = chooseProvider({ known, configured: 'openai' }).sentence;
  expect(configured).toContain('set in the configuration');
  const { sentence } = chooseProvider({ known, configured: 'openai', variable: 'OLLM_PROVIDER' });
  expect(sentence).toContain('set by the variable OLLM_PROVIDER');
});

test('an unknown name is an error that lists the known ones', () => {
  for (const input of [{ flag: 'olama' }, { configured: 'olama' }])
    expect(() => chooseProvider({ known, ...input })).toThrow(
      expect.objectContaining({ code: 'PROVIDER_UNKNOWN', hint: 'Choose one of: ollama, openai, offline.' }),
    );
});

test('an unknown provider that no flag names is reported with the place that sets it', () => {
  const set = { known, configured: 'olama' };
  expect(() => chooseProvider(set)).toThrow('There is no provider "olama", which is set in the configuration.');
  expect(() => chooseProvider({ ...set, variable: 'OLLM_PROVIDER' })).toThrow('set by the variable OLLM_PROVIDER.');
  expect(() => chooseProvider({ ...set, flag: 'olma' })).toThrow('There is no provider "olma".');
});

test('an Ollama is searched only if nothing is named', () => {
  expect([needsProbe({}), needsProbe({ flag: 'x' }), needsProbe({ configured: 'x' })]).toEqual([true, false, false]);
});

test.each([{ flag: 'offline' }, { configured: 'offline' }])(
  'offline is described as not a language model: %j',
  (input) => {
    expect(chooseProvider({ known, ...input }).sentence).toContain('offline, a search and no language model');
  },
);
