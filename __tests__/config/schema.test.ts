// The schema that the package contains for editors, and the validator that is made from it.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SETTINGS } from '../../lib/config/settings.generated.ts';
import { VALIDATORS } from '../../lib/config/validator.generated.ts';

/** Values of each type, with those around the limits that settings have. */
const VALUES = [
  ...[-1, 0, 0.5, 1, 1.5, 2, 2.5, 50, 51, 64, 65, 255, 256, 1023, 1024, 3600, 3601, 86_400, 86_401],
  ...[
    '',
    'text',
    '10m',
    '90d',
    '-1',
    'off',
    'global',
    'acp',
    'https://host',
    'nats://host',
    '/path',
    true,
    false,
    null,
  ],
  ...[[], ['text'], [''], [1], {}, { A: 'text' }, { A: 1 }, { '1': 'text' }, { A: {} }],
];

const ajv = new Ajv2020({ strictTypes: false, formats: { path: true } });
const accepts = ajv.compile(JSON.parse(readFileSync('schemas/config.json', 'utf8')));

/** `server.port` as `{ server: { port: value } }`. */
function nested(key: string, value: unknown): unknown {
  return key.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
}

describe('the schema of settings', () => {
  it('accepts the default of each setting', () => {
    for (const { key, default: value } of SETTINGS) {
      if (value !== undefined) expect([key, accepts(nested(key, value))]).toEqual([key, true]);
    }
  });

  it('accepts exactly the values with which ollm starts', () => {
    const compatible = ['timeoutSeconds', 'topP', 'stop', 'other'].map((name) => `providers.compatible.mine.${name}`);
    const keys = SETTINGS.flatMap(({ key }) => [key, `${key}.more`, `${key}x`]);
    const given = [...keys, ...compatible, 'providers.compatible.mine.baseUrl'].flatMap((key) =>
      VALUES.map((value) => nested(key, value)),
    );
    expect(given.filter((each) => accepts(each) !== VALIDATORS.config(each))).toEqual([]);
    expect(given.some((each) => accepts(each))).toBe(true);
    expect(given.every((each) => accepts(each))).toBe(false);
  });

  it('has a default of its own where a shared setting is used', () => {
    const defaults = new Map(SETTINGS.map(({ key, default: value }) => [key, value]));
    const variables = ['openai', 'anthropic', 'gemini'].map((name) => defaults.get(`providers.${name}.apiKeyEnv`));
    expect(variables).toEqual(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']);
    expect([defaults.get('providers.gemini.timeoutSeconds'), defaults.get('providers.gemini.seed')]).toEqual([
      120,
      undefined,
    ]);
  });
});
