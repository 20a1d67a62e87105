import {
  createEnvironmentSanitizationService,
  type EnvironmentSanitizationService,
  type LogFields,
  silentLog,
} from '../../lib/index.ts';

describe('EnvironmentSanitizationService', () => {
  test('has the methods of the design', () => {
    const service: EnvironmentSanitizationService = createEnvironmentSanitizationService();
    expect(Object.keys(service).sort()).toEqual(['configure', 'isAllowed', 'isDenied', 'sanitize']);
  });

  test('keeps the core variables and harmless ones, and removes denied ones', () => {
    const service = createEnvironmentSanitizationService();
    const env = { PATH: '/bin', LC_ALL: 'C', EDITOR: 'vi', A_KEY: 'x', AWS_REGION: 'y', GITHUB_ACTOR: 'z' };
    expect(service.sanitize(env)).toEqual({ PATH: '/bin', LC_ALL: 'C', EDITOR: 'vi' });
  });

  test('accepts custom rules, at the beginning or later', () => {
    const service = createEnvironmentSanitizationService({ config: { denyPatterns: ['MY_*'] } });
    expect(service.isDenied('MY_DATA')).toBe(true);
    service.configure({ allowList: ['CI_TOKEN'], denyPatterns: [] });
    expect([service.isDenied('MY_DATA'), service.isAllowed('CI_TOKEN')]).toEqual([false, true]);
    expect(service.sanitize({ CI_TOKEN: 'x' })).toEqual({ CI_TOKEN: 'x' });
  });

  test('logs an invalid deny pattern, which lets no more variables through', () => {
    const logged: LogFields[] = [];
    const log = { ...silentLog, warn: (fields: LogFields) => logged.push(fields) };
    const service = createEnvironmentSanitizationService({ config: { denyPatterns: ['[X'] }, log });
    expect(logged).toMatchObject([{ service: 'environment', operation: 'configure' }]);
    expect(service.sanitize({ A_KEY: 'x', B: 'y', HOME: '/h' })).toEqual({ HOME: '/h' });
  });

  test('logs removed variables at debug level, by name and never by value', () => {
    const logged: unknown[] = [];
    const log = { ...silentLog, debug: (...line: unknown[]) => logged.push(line) };
    createEnvironmentSanitizationService({ log }).sanitize({ A_KEY: 'hidden-value', B: 'y' });
    expect(JSON.stringify(logged)).toContain('A_KEY');
    expect(JSON.stringify(logged)).not.toContain('hidden-value');
  });
});
