import fc from 'fast-check';
import { createRedactor } from '../../lib/environment/redact.ts';
import { secretValuesOf } from '../../lib/environment/secret-values.ts';
import { createEnvironmentSanitizer } from '../../lib/environment/tool-environment.ts';
import type { LogFields } from '../../lib/platform/index.ts';
import { silentLog } from '../../lib/platform/index.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

function kept(environment: Record<string, string>, config = {}): string[] {
  return Object.keys(createEnvironmentSanitizer({ config }).sanitize(environment)).sort();
}

describe('the default rules of the environment', () => {
  test.each([
    'PATH',
    'HOME',
    'USER',
    'SHELL',
    'TERM',
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
    'path',
    'SystemRoot',
    'GIT_AUTHOR_NAME',
    'SSH_AUTH_SOCK',
    'KEYBOARD_LAYOUT',
    'OLDPWD',
    'PWD',
    'MONKEY',
    'TOKENIZERS_PARALLELISM',
    'EDITOR',
    'AWS_CA_BUNDLE',
    'aws_pager',
    'GITHUB_ACTIONS',
  ])('%s stays', (name) => {
    expect(kept({ [name]: 'value' })).toEqual([name]);
  });

  test.each([
    'OPENAI_API_KEY',
    'openai_api_key',
    'CLIENT_SECRET',
    'NPM_TOKEN',
    'DB_PASSWORD',
    'X_CREDENTIAL',
    'AWS_REGION',
    'AWS_SESSION_TOKEN',
    'GITHUB_TOKEN',
    'GITHUB_REPOSITORY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'SECRET_KEY_BASE',
    'TOKEN',
    'A/B_KEY',
    'A\nB_KEY',
    '.x_KEY',
  ])('%j is removed', (name) => {
    expect(kept({ [name]: 'value' })).toEqual([]);
  });

  test('a harmless name with the value of a secret is removed, and an allowed name keeps any value', () => {
    const environment = { NOTE: SECRET, DATABASE_URL: 'postgres://me:pass-word@host/db', PATH: SECRET };
    expect(kept(environment)).toEqual(['PATH']);
  });

  test('a variable called __proto__ is a variable like others', () => {
    const environment = JSON.parse('{"__proto__":"x","A":"y"}') as Record<string, string>;
    expect(kept(environment)).toEqual(['A', '__proto__']);
  });
});

describe('the configured rules of the environment', () => {
  test('a harmless member of a denied family passes, unless the user denies it or its value is a secret', () => {
    const environment = { AWS_CA_BUNDLE: '/etc/ca.pem', AWS_PAGER: SECRET };
    expect(kept(environment)).toEqual(['AWS_CA_BUNDLE']);
    expect(kept(environment, { denyPatterns: ['AWS_*'] })).toEqual([]);
    expect(createEnvironmentSanitizer().isDenied('AWS_CA_BUNDLE')).toBe(false);
  });

  test('an allowed name passes although a deny pattern matches, in any case', () => {
    expect(kept({ Ci_Token: SECRET, OTHER_TOKEN: 'x' }, { allowList: ['CI_TOKEN'] })).toEqual(['Ci_Token']);
  });

  test('added patterns extend the defaults', () => {
    expect(kept({ MY_DATA: '1', A_KEY: '2', B: '3' }, { denyPatterns: ['my_*'] })).toEqual(['B']);
    expect(kept({ A_KEY: '2', B: '3' }, { denyPatterns: [] })).toEqual(['B']);
  });

  test('configure replaces the additions of an earlier configuration', () => {
    const sanitizer = createEnvironmentSanitizer({ config: { denyPatterns: ['A'] } });
    sanitizer.configure({ denyPatterns: ['B'] });
    expect([sanitizer.isDenied('A'), sanitizer.isDenied('B'), sanitizer.isAllowed('PATH')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('an invalid pattern of the allow list is a warning and counts as a plain name', () => {
    const logged: LogFields[] = [];
    const sanitizer = createEnvironmentSanitizer({
      config: { denyPatterns: [''], allowList: ['[Y_KEY'] },
      log: { ...silentLog, warn: (fields) => logged.push(fields) },
    });
    expect(sanitizer.warnings).toHaveLength(2);
    expect(logged).toHaveLength(2);
    expect(Object.keys(sanitizer.sanitize({ X: '2', A_KEY: '3', '[Y_KEY': '4' }))).toEqual(['X', '[Y_KEY']);
  });

  test('a pattern of the allow list that begins with ! does not allow all other names', () => {
    const sanitizer = createEnvironmentSanitizer({ config: { allowList: ['!PATH'] } });
    expect(sanitizer.warnings).toHaveLength(1);
    expect(sanitizer.isAllowed('A_KEY')).toBe(false);
  });

  test.each(['[X', '+(E)DITOR', '@(A|B)', '!EDITOR', '*A*B*C*D*E*F*G*'])(
    'the deny pattern %s is invalid: only core variables pass, with a warning',
    (pattern) => {
      const sanitizer = createEnvironmentSanitizer({ config: { denyPatterns: [pattern], allowList: ['MY_*'] } });
      expect(sanitizer.warnings).toEqual([expect.stringMatching(/is not a pattern.*only core variables pass/)]);
      const variables = { EDITOR: 'vi', X: '1', MY_DATA: '2', PATH: '/bin', [pattern]: '3' };
      expect(Object.keys(sanitizer.sanitize(variables))).toEqual(['PATH']);
    },
  );

  test('a pattern with many stars denies matching names, and names that are too long to match', () => {
    const sanitizer = createEnvironmentSanitizer({ config: { denyPatterns: ['*A*B*C*D*'], allowList: ['*E*F*G*H*'] } });
    expect(sanitizer.warnings).toEqual([]);
    expect(sanitizer.isDenied('XAXBXCXDX')).toBe(true);
    expect(sanitizer.isDenied('XAXBXC')).toBe(false);
    expect(sanitizer.isDenied('x'.repeat(200))).toBe(true);
    expect(sanitizer.isAllowed(`EFGH${'x'.repeat(200)}`)).toBe(false);
  });

  test.each([[{ allowList: 'PATH' }], [{ denyPatterns: [1] }], [null], [[]]])(
    '%j is invalid: only core variables pass',
    (broken) => {
      const sanitizer = createEnvironmentSanitizer();
      sanitizer.configure(broken as never);
      expect(Object.keys(sanitizer.sanitize({ PATH: '/bin', LC_ALL: 'C', EDITOR: 'vi', A_KEY: 'x' }))).toEqual([
        'PATH',
        'LC_ALL',
      ]);
      expect(sanitizer.warnings[0]).toContain('only core variables');
    },
  );

  test('a pattern that is slow to match costs little time', () => {
    const sanitizer = createEnvironmentSanitizer({ config: { denyPatterns: ['+(+(a|aa)|+(aa|a))b', '*a*a*a*a*b'] } });
    expect(sanitizer.isDenied('a'.repeat(60))).toBe(false);
    expect(sanitizer.isDenied('a'.repeat(200_000))).toBe(true);
  });
});

test('explain names the rule that decided and never a value', () => {
  const rows = createEnvironmentSanitizer().explain({
    PATH: '/bin',
    A_KEY: 'hidden-value',
    NOTE: SECRET,
    EDITOR: 'vi',
    GONE: undefined,
  });
  expect(rows).toEqual([
    { name: 'A_KEY', keeps: false, because: 'the deny pattern *_KEY matches' },
    { name: 'EDITOR', keeps: true, because: 'no deny pattern matches' },
    { name: 'NOTE', keeps: false, because: 'its value looks like a secret (github-token)' },
    { name: 'PATH', keeps: true, because: 'the allow list has PATH' },
  ]);
});

test('an address with a password goes in any form, and one with a port or a user stays', () => {
  const sanitizer = createEnvironmentSanitizer();
  const goes = [
    'me:word@proxy:3128',
    'http://me:wo/rd@proxy',
    'me:wo#rd@proxy',
    '//me:word@proxy',
    'http://:word@proxy',
  ];
  const stays = [
    'proxy:3128',
    'http://proxy:80/a@b',
    'git@example.org:a/b',
    'ssh://git@example.org:22/a',
    'https://a.b/@c/d',
  ];
  for (const name of ['HTTP_PROXY', 'https_proxy', 'OLLAMA_HOST', 'DATABASE_URL', 'SENTRY_DSN']) {
    for (const value of goes) expect(sanitizer.sanitize({ [name]: value })).toEqual({});
    for (const value of stays) expect(sanitizer.sanitize({ [name]: value })).toEqual({ [name]: value });
  }
});

test('secretValuesOf returns the values of credentials from eight characters on, and no harmless member of a family', () => {
  const environment = {
    A_KEY: 'long-enough',
    B_KEY: 'short',
    AWS_REGION: 'eu-central-1',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
    EDITOR: 'long-enough-too',
  };
  expect(secretValuesOf(environment)).toEqual(['long-enough', 'wJalrXUtnFEMI']);
});

const variableName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.stringMatching(/^[A-Z_]{1,12}$/),
  fc
    .tuple(
      fc.stringMatching(/^[A-Za-z]{1,8}$/),
      fc.constantFrom('_KEY', '_token', '_Secret', '_PASSWORD', '_Credential'),
    )
    .map((parts) => parts.join('')),
);
const environment = fc.dictionary(variableName, fc.string({ maxLength: 200 }), { noNullPrototype: true });

/** The names of the requirements, written down here once more: the sanitizer is not asked about itself. */
const CORE =
  /^(?:path|home|user|shell|term|lang|lc_.*|logname|tz|tmpdir|userprofile|username|systemroot|comspec|pathext|windir|temp|tmp)$/is;
const SENSITIVE = /(?:_key|_token|_secret|_password|_credential)$|^(?:aws|github)_/is;
const HARMLESS =
  /^(?:aws_(?:ca_bundle|pager|retry_mode|max_attempts|default_output|cli_auto_prompt|ec2_metadata_disabled|use_fips_endpoint|use_dualstack_endpoint|sts_regional_endpoints)|github_(?:actions|server_url|api_url|graphql_url))$/i;
/** Names of the lists here are plain: a pattern means itself. */
const isPlain = (name: string) => /^\w+$/.test(name);
const named = (list: readonly string[], name: string) => list.some((one) => one.toLowerCase() === name.toLowerCase());

test('Feature: services-sessions, Property 25: isAllowed and isDenied agree with the lists for each name', () => {
  const lists = fc.array(variableName.filter(isPlain), { maxLength: 3 });
  fc.assert(
    fc.property(variableName, lists, lists, (name, allowList, denyPatterns) => {
      const sanitizer = createEnvironmentSanitizer({ config: { allowList, denyPatterns } });
      expect(sanitizer.isAllowed(name)).toBe(CORE.test(name) || named(allowList, name));
      if (named(denyPatterns, name)) expect(sanitizer.isDenied(name)).toBe(true);
      if (SENSITIVE.test(name) && !HARMLESS.test(name)) expect(sanitizer.isDenied(name)).toBe(true);
      for (const one of [...allowList, 'PATH', 'lc_all']) expect(sanitizer.isAllowed(one)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('Feature: services-sessions, Property 25: no variable stays that a deny pattern matches and the allow list does not', () => {
  fc.assert(
    fc.property(environment, fc.array(variableName, { maxLength: 3 }), (variables, denyPatterns) => {
      const sanitizer = createEnvironmentSanitizer({ config: { denyPatterns } });
      const more = {
        X_KEY: '1',
        AWS_X: '2',
        GITHUB_X: '3',
        X_CREDENTIAL: '4',
        X_TOKEN: '5',
        X_SECRET: '6',
        X_PASSWORD: '7',
      };
      const names = Object.keys(sanitizer.sanitize({ ...variables, ...more })).filter((name) => !CORE.test(name));
      expect(names.filter((name) => SENSITIVE.test(name) && !HARMLESS.test(name))).toEqual([]);
      expect(names.filter((name) => denyPatterns.includes(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('Feature: services-sessions, Property 26: every variable of the allow list stays, with its value', () => {
  fc.assert(
    fc.property(environment, fc.array(variableName, { minLength: 1, maxLength: 4 }), (variables, allowList) => {
      const all = { ...variables, ...Object.fromEntries(allowList.map((name) => [name, SECRET])), PATH: SECRET };
      expect(createEnvironmentSanitizer({ config: { allowList } }).sanitize(all)).toMatchObject(
        Object.fromEntries([...allowList, 'PATH'].map((name) => [name, SECRET])),
      );
    }),
    { numRuns: 200 },
  );
});

test('Feature: services-sessions, Property 27: each remaining variable is allowed or matches no deny pattern, and none is changed or added', () => {
  fc.assert(
    fc.property(
      environment,
      fc.array(variableName, { maxLength: 3 }),
      fc.array(variableName, { maxLength: 3 }),
      (variables, allowList, denyPatterns) => {
        const sanitizer = createEnvironmentSanitizer({ config: { allowList, denyPatterns } });
        const kept = sanitizer.sanitize(variables);
        for (const [name, value] of Object.entries(kept)) {
          const isDenied = named(denyPatterns, name) || (SENSITIVE.test(name) && !HARMLESS.test(name));
          if (allowList.every(isPlain) && isDenied) expect(CORE.test(name) || named(allowList, name)).toBe(true);
          expect(value).toBe(variables[name]);
        }
        // What no list names stays: the values here are no secrets.
        const isOrdinary = (name: string) => /^[a-z]{1,12}$/i.test(name) && !named(denyPatterns, name);
        if (denyPatterns.every(isPlain)) {
          for (const name of Object.keys(variables).filter(isOrdinary)) {
            if (!/^(?:.*(?:key|token|secret|password|passwd|pwd|credentials?))$/i.test(name))
              expect(name in kept).toBe(true);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('Feature: services-sessions, Property 28: no message has a secret value of the environment once it is redacted', () => {
  const value = fc
    .string({ minLength: 8, maxLength: 60 })
    .filter((text) => !'[redacted environment-value 0123456789]'.includes(text));
  fc.assert(
    fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
      const redactor = createRedactor({ secretValues: secretValuesOf({ SOME_PASSWORD: secret }) });
      const { text, found } = redactor.redact(`${before}${secret}${after} and again: ${secret}`);
      expect(text.includes(secret)).toBe(false);
      expect(found.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
