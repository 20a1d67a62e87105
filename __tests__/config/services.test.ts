// The settings of the services, one by one: their defaults, their valid values, and the error for each invalid one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../lib/config/load.ts';
import type { LoadedConfig } from '../../lib/config/types.ts';
import { createEnvironmentSanitizer } from '../../lib/environment/tool-environment.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ollm-settings-'));
  mkdirSync(join(home, '.ollm'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load(yaml: string): Promise<LoadedConfig> {
  writeFileSync(join(home, '.ollm', 'config.yaml'), yaml);
  return loadConfig({ env: {}, cwd: home, homeDirectory: home, fileSystem: nodeFileSystem, uid: process.getuid?.() });
}

function settingOf({ values }: LoadedConfig, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], values);
}

/** `a.b: value` as nested YAML in one line. */
function yamlOf(key: string, value: string): string {
  return `${key
    .split('.')
    .reduceRight((inner, name) => `{ ${name}: ${inner} }`, value)
    .slice(2, -2)}\n`;
}

const SERVICES = `
services:
  session:
    dataDir: ~/.ollm/session-data
    maxSessions: 100
    autoSave: true
  compression:
    enabled: true
    threshold: 0.8
    strategy: hybrid
    preserveRecent: 4096
  loopDetection:
    enabled: true
    maxTurns: 50
    repeatThreshold: 3
  fileDiscovery:
    maxDepth: 10
    followSymlinks: false
    builtinIgnores: [node_modules, .git, dist, build, .next, .cache]
`;
const ENVIRONMENT = `
services:
  environment:
    allowList: [PATH, HOME, USER, SHELL, TERM, LANG]
    denyPatterns: ['*_KEY', '*_SECRET', '*_TOKEN', '*_PASSWORD', '*_CREDENTIAL', 'AWS_*', 'GITHUB_*']
`;

describe('the settings of the services', () => {
  it('have the defaults of the requirements', async () => {
    const written = await load(SERVICES);
    const { services } = (await load('')).values;
    expect(written.values.services).toEqual(services);
    expect(written.warnings).toEqual([]);
  });

  it('let through and remove the same variables, whether the lists are written out or not', async () => {
    const names = ['PATH', 'HOME', 'LC_ALL', 'EDITOR', 'A_KEY', 'A_SECRET', 'A_TOKEN', 'A_PASSWORD', 'A_CREDENTIAL'];
    const environment = Object.fromEntries([...names, 'AWS_REGION', 'GITHUB_ACTOR'].map((name) => [name, 'x']));
    const kept = async (yaml: string) => {
      const config = (await load(yaml)).values.services.environment;
      return Object.keys(createEnvironmentSanitizer({ config }).sanitize(environment));
    };
    expect(await kept(ENVIRONMENT)).toEqual(await kept(''));
    expect(await kept(ENVIRONMENT)).toEqual(['PATH', 'HOME', 'LC_ALL', 'EDITOR']);
  });

  it.each<[key: string, given: string, value: unknown]>([
    ['services.session.dataDir', '/elsewhere', '/elsewhere'],
    ['services.session.maxSessions', '1', 1],
    ['services.session.autoSave', 'false', false],
    ['services.session.mode', 'ephemeral', 'ephemeral'],
    ['services.session.maxAge', '7d', '7d'],
    ['services.session.durability', 'always', 'always'],
    ['services.session.allowNetworkFileSystem', 'true', true],
    ['services.compression.enabled', 'false', false],
    ['services.compression.threshold', '1', 1],
    ['services.compression.threshold', '0.1', 0.1],
    ['services.compression.strategy', 'truncate', 'truncate'],
    ['services.compression.strategy', 'summarize', 'summarize'],
    ['services.compression.preserveRecent', '0', 0],
    ['services.compression.summaryProvider', 'ollama', 'ollama'],
    ['services.compression.summaryModel', 'small', 'small'],
    ['services.budget.maxTotal', '256', 256],
    ['services.budget.reserveForOutput', '1', 1],
    ['services.budget.historyWindow', '1', 1],
    ['services.budget.summaryBudget', '64', 64],
    ['services.budget.retrievalBudget', '0', 0],
    ['services.loopDetection.enabled', 'false', false],
    ['services.loopDetection.maxTurns', '1', 1],
    ['services.loopDetection.repeatThreshold', '2', 2],
    ['services.fileDiscovery.maxDepth', '0', 0],
    ['services.fileDiscovery.followSymlinks', 'true', true],
    ['services.fileDiscovery.builtinIgnores', '[]', []],
    ['services.environment.allowList', '[CI_TOKEN]', ['CI_TOKEN']],
    ['services.environment.denyPatterns', '["MY_*"]', ['MY_*']],
    ['services.redaction.enabled', 'false', false],
    ['retention.maxItems', '1', 1],
    ['retention.storeToolOutputs', 'false', false],
    ['retention.encryptAtRest', 'true', true],
    ['retention.trashDays', '0', 0],
  ])('take %s: %s', async (key, given, value) => {
    expect(settingOf(await load(yamlOf(key, given)), key)).toEqual(value);
  });

  it.each<[key: string, given: string, must: string]>([
    ['services.session.dataDir', '""', 'a text that is not empty'],
    ['services.session.maxSessions', '0', 'at least 1'],
    ['services.session.maxSessions', '1.5', 'a whole number'],
    ['services.session.autoSave', '"yes"', 'true or false'],
    ['services.session.mode', 'local', 'one of global, session, ephemeral'],
    ['services.session.maxAge', 'soon', 'of the form'],
    ['services.session.durability', 'sometimes', 'one of always, barrier, process'],
    ['services.session.allowNetworkFileSystem', '1', 'true or false'],
    ['services.compression.threshold', '0', 'at least 0.1'],
    ['services.compression.threshold', '80', 'at most 1'],
    ['services.compression.strategy', 'forget', 'one of summarize, truncate, hybrid'],
    ['services.compression.preserveRecent', '-1', 'at least 0'],
    ['services.budget.maxTotal', '10', 'at least 256'],
    ['services.budget.reserveForOutput', '0', 'at least 1'],
    ['services.budget.historyWindow', 'much', 'a whole number'],
    ['services.budget.summaryBudget', '1', 'at least 64'],
    ['services.budget.retrievalBudget', '-1', 'at least 0'],
    ['services.loopDetection.maxTurns', '0', 'at least 1'],
    ['services.loopDetection.repeatThreshold', '1', 'at least 2'],
    ['services.fileDiscovery.maxDepth', '-1', 'at least 0'],
    ['services.fileDiscovery.followSymlinks', '1', 'true or false'],
    ['services.fileDiscovery.builtinIgnores', 'dist', 'a list'],
    ['services.environment.allowList', '{}', 'a list'],
    ['services.environment.denyPatterns', '[1]', 'a text'],
    ['services.redaction.enabled', 'off', 'true or false'],
    ['retention.maxItems', '0', 'at least 1'],
    ['retention.storeToolOutputs', '0', 'true or false'],
    ['retention.encryptAtRest', '"on"', 'true or false'],
    ['retention.trashDays', '-1', 'at least 0'],
  ])('refuse %s: %s with the place and the valid values', async (key, given, must) => {
    const error = await load(yamlOf(key, given)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 2 });
    const { message } = error as Error;
    expect(message).toContain('config.yaml:1:');
    expect(message).toContain(key);
    expect(message).toContain(`must be ${must}`);
  });

  it('are all tested here', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8');
    const schema = JSON.parse(readFileSync('schemas/config.json', 'utf8')).properties.services.properties;
    const keys = Object.entries<{ properties: object }>(schema).flatMap(([group, { properties }]) =>
      Object.keys(properties).map((name) => `services.${group}.${name}`),
    );
    expect(keys.filter((key) => !source.includes(`'${key}'`))).toEqual([]);
    expect(keys).toHaveLength(27);
  });
});
