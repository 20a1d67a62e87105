import { SETTINGS } from '../../lib/config/settings.generated.ts';
import { readVariables, variableOf } from '../../lib/config/variables.ts';

describe('variables of settings', () => {
  it('are named by one rule', () => {
    expect(variableOf('model')).toBe('OLLM_MODEL');
    expect(variableOf('services.session.maxSessions')).toBe('OLLM_SERVICES__SESSION__MAX_SESSIONS');
  });

  it('name each setting uniquely', () => {
    const names = SETTINGS.map(({ key }) => variableOf(key));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^OLLM_[A-Z]+(_{1,2}[A-Z]+)*$/);
  });

  it('are parsed by the type of the setting', () => {
    const { values, warnings } = readVariables({
      OLLM_SERVICES__SESSION__MAX_SESSIONS: '5',
      OLLM_SERVICES__SESSION__AUTO_SAVE: 'false',
      OLLM_SERVICES__COMPRESSION__THRESHOLD: '0.5',
      OLLM_SERVICES__ENVIRONMENT__ALLOW_LIST: 'CI, GH_*',
      OLLM_MODEL: '5',
      OLLM_PROVIDER: '',
    });
    expect(Object.fromEntries(values.map(({ key, value }) => [key, value]))).toEqual({
      model: '5',
      'services.session.maxSessions': 5,
      'services.session.autoSave': false,
      'services.compression.threshold': 0.5,
      'services.environment.allowList': ['CI', 'GH_*'],
    });
    expect(warnings).toEqual([]);
  });

  it('leave invalid values to the check', () => {
    const { values } = readVariables({
      OLLM_SERVICES__SESSION__MAX_SESSIONS: 'five',
      OLLM_SERVICES__SESSION__AUTO_SAVE: 'maybe',
    });
    expect(values.map(({ value }) => value)).toEqual(['five', 'maybe']);
  });

  it("include OLLAMA_HOST unless ollm's own variable is set", () => {
    const host = (env: Record<string, string>) => readVariables(env).values[0];
    expect(host({ OLLAMA_HOST: 'box:1' })).toEqual({
      key: 'providers.ollama.host',
      variable: 'OLLAMA_HOST',
      value: 'box:1',
    });
    expect(host({ OLLAMA_HOST: 'box:1', OLLM_PROVIDERS__OLLAMA__HOST: 'box:2' })).toMatchObject({ value: 'box:2' });
  });
});
