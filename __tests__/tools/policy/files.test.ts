// The files that tools may open, by their place and by the rules of the user.
import { createSessionGrants } from '../../../lib/tools/policy/grants.ts';
import { file, policyOf, program, ROOT, shell } from './policy-of.ts';

const read = (path: string) => file('file_read', 'read', path);
const write = (path: string) => file('file_write', 'write', path);

describe('a policy without rules', () => {
  it.each(['lib/index.ts', '', '.env.example', '.github/workflows/ci.yml', '.git/HEAD', 'docs/.environment.md'])(
    'allows reading %j in the project',
    async (path) => {
      const { policy } = await policyOf();
      expect(policy.decide(read(`${ROOT}/${path}`))).toEqual({
        kind: 'allow',
        by: 'policy',
        rule: 'default:read-in-project',
      });
    },
  );

  it.each([
    ['lib/index.ts', 'file_write(lib/**)'],
    ['lib/a/b.ts', 'file_write(lib/a/**)'],
    ['README.md', 'file_write(README.md)'],
  ])('asks before writing %j, and offers only its directory', async (path, grant) => {
    const { policy } = await policyOf();
    expect(policy.decide(write(`${ROOT}/${path}`))).toMatchObject({ kind: 'ask', rule: 'default:write', grant });
  });

  it.each(['/etc/passwd', '/', '/home/me', '/home/me/project2/a', '/home/me/projec', '/proc/self/environ'])(
    'allows neither reading nor writing %j, outside',
    async (path) => {
      const { policy } = await policyOf();
      expect(policy.decide(read(path))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
      expect(policy.decide(write(path))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
    },
  );

  it.each([
    '/home/me/.ssh/config',
    '/home/me/.SSH/config',
    '/home/me/.aws',
    '/home/me/.ollm/config.yaml',
    '/home/me/.ollm/session-data/x.jsonl',
    `${ROOT}/.env`,
    `${ROOT}/.ENV`,
    `${ROOT}/packages/a/.env.production`,
    `${ROOT}/server.key`,
    `${ROOT}/cert.pem`,
    `${ROOT}/id_ed25519`,
    `${ROOT}/.npmrc`,
    `${ROOT}/.pypirc`,
    `${ROOT}/deploy/credentials`,
    `${ROOT}/deploy/prod.env`,
    `${ROOT}/.ollm/session-data/x.jsonl`,
  ])('hides %j', async (path) => {
    const { policy } = await policyOf({
      allow: ['file_read', 'file_write'],
      readable: ['/home/me'],
      writable: ['/home/me'],
    });
    expect(policy.decide(read(path))).toMatchObject({ kind: 'deny', rule: 'default:hidden' });
    expect(policy.decide(write(path))).toMatchObject({ kind: 'deny', rule: 'default:hidden' });
  });

  it('treats a name that is also a word of code as a key only if a file has it', async () => {
    const isFile = (path: string) => path === `${ROOT}/credentials`;
    const { policy } = await policyOf({ allow: ['bash(grep *)'] }, { isFile });
    expect(policy.decide(read(`${ROOT}/credentials`))).toMatchObject({ rule: 'default:hidden' });
    expect(policy.decide(shell('grep x credentials'))).toMatchObject({ rule: 'default:hidden' });
    expect(policy.decide(read(`${ROOT}/lib/credentials`))).toMatchObject({ kind: 'allow' });
    expect(policy.decide(shell('grep -rn process.env id_token lib/credentials'))).toMatchObject({ kind: 'allow' });
    // No word of code begins with a dot.
    expect(policy.decide(shell('grep x .env'))).toMatchObject({ rule: 'default:hidden' });
  });

  it('opens a file with a secret name if the user named exactly that file', async () => {
    const readable = [`${ROOT}/.env.test`, `${ROOT}/certs`, '/home/me/.ssh', `${ROOT}/.ollm`];
    const { policy } = await policyOf({ readable });
    expect(policy.decide(read(`${ROOT}/.env.test`))).toMatchObject({ kind: 'allow', rule: 'default:read-in-project' });
    expect(policy.decide(write(`${ROOT}/.env.test`))).toMatchObject({ kind: 'ask' });
    for (const path of [
      `${ROOT}/.env`,
      `${ROOT}/a/.env.test`,
      `${ROOT}/certs/a.pem`,
      '/home/me/.ssh',
      `${ROOT}/.ollm`,
    ]) {
      expect(policy.decide(read(path))).toMatchObject({ kind: 'deny', rule: 'default:hidden' });
    }
  });

  it.each([
    `${ROOT}/.git/config`,
    `${ROOT}/vendor/x/.git`,
    `${ROOT}/.GIT/hooks/x`,
    '/home/me/.bashrc',
    '/home/me/.config/fish/x',
  ])('lets no tool write %j', async (path) => {
    const { policy } = await policyOf({ allow: ['*'], writable: ['/home/me'] });
    expect(policy.decide(write(path))).toMatchObject({ kind: 'deny', rule: 'default:protected' });
  });

  it('opens the paths that the user opened, and no others', async () => {
    const { policy } = await policyOf({
      readable: ['/srv/data'],
      writable: ['/srv/out'],
      hidden: ['/srv/data/secret'],
    });
    expect(policy.decide(read('/srv/data/a'))).toMatchObject({ kind: 'allow', rule: 'default:readable' });
    expect(policy.decide(write('/srv/data/a'))).toMatchObject({ kind: 'deny' });
    expect(policy.decide(read('/srv/out/a'))).toMatchObject({ kind: 'allow' });
    expect(policy.decide(write('/srv/out/a'))).toMatchObject({ kind: 'ask' });
    expect(policy.decide(read('/srv/data/secret/a'))).toMatchObject({ kind: 'deny', rule: 'default:hidden' });
    expect(policy.decide(read('/srv/data2/a'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
  });

  it('asks about foreign tools, also if they call themselves read-only', async () => {
    const { policy } = await policyOf();
    const remote = { tool: 'files__read', summary: '', isReadOnly: true, accesses: [], isRemote: true };
    expect(policy.decide(remote)).toMatchObject({ kind: 'ask', rule: 'default:remote', grant: 'files__read' });
    expect(policy.decide({ ...remote, isRemote: false })).toMatchObject({ kind: 'allow' });
    expect(policy.decide({ ...remote, isRemote: false, isReadOnly: false })).toMatchObject({ kind: 'ask' });
  });

  it('decides by the strictest of several files', async () => {
    const { policy } = await policyOf({ allow: ['copy'] });
    const accesses = [
      { kind: 'read', path: `${ROOT}/a` },
      { kind: 'write', path: '/etc/b' },
    ] as const;
    expect(policy.decide({ tool: 'copy', summary: '', isReadOnly: false, accesses })).toMatchObject({ kind: 'deny' });
  });
});

describe('rules', () => {
  it('rank deny over ask over allow, in any order', async () => {
    const { policy } = await policyOf({
      allow: ['file_write', 'file_read'],
      ask: ['file_write(src/**)'],
      deny: ['file_write(src/generated/**)'],
    });
    expect(policy.decide(write(`${ROOT}/a`))).toEqual({ kind: 'allow', by: 'policy', rule: 'allow:file_write' });
    expect(policy.decide(write(`${ROOT}/src/a`))).toMatchObject({ kind: 'ask', rule: 'ask:file_write(src/**)' });
    expect(policy.decide(write(`${ROOT}/src/generated/a`))).toMatchObject({ kind: 'deny' });
  });

  it('rank ask over a grant, and offer none', async () => {
    const { policy } = await policyOf({ ask: ['bash(npm publish)'] });
    policy.grant('bash(npm publish)');
    const decision = policy.decide(shell('npm publish'));
    expect(decision).toMatchObject({ kind: 'ask', rule: 'ask:bash(npm publish)' });
    expect(decision).not.toHaveProperty('grant');
  });

  describe('“never”', () => {
    it('is offered as a rule for exactly the action, also for a dangerous one', async () => {
      const { policy } = await policyOf();
      expect(policy.decide(shell('npm publish'))).toMatchObject({ denial: 'bash(npm publish)' });
      expect(policy.decide(shell('rm -rf build'))).toMatchObject({ kind: 'ask', denial: 'bash(rm -rf build)' });
      expect(policy.decide(shell('rm -rf build'))).not.toHaveProperty('grant');
      expect(policy.decide(write(`${ROOT}/lib/a.ts`))).toMatchObject({ denial: 'file_write(lib/a.ts)' });
      expect(policy.decide(shell('npm test && npm publish'))).not.toHaveProperty('denial');
    });

    it('denies from then on, over any permission, and nothing else', async () => {
      const { policy } = await policyOf({ allow: ['bash(npm *)'] });
      policy.deny!('bash(npm publish)');
      for (const line of ['npm publish', '/usr/bin/npm publish', 'true; npm publish'])
        expect(policy.decide(shell(line))).toMatchObject({ kind: 'deny', rule: 'never:1' });
      expect(policy.decide(shell('npm test'))).toMatchObject({ kind: 'allow' });
    });

    it('replaces “always”, and ends when it is revoked', async () => {
      const grants = createSessionGrants(() => 0);
      const { policy } = await policyOf({}, { grants });
      policy.grant('bash(npm test)');
      policy.deny!('bash(npm test)');
      expect(policy.decide(shell('npm test'))).toMatchObject({
        kind: 'deny',
        reason: expect.stringContaining('never'),
      });
      expect(grants.list()).toEqual([]);
      await grants.revoke(grants.denials()[0]!.number);
      expect(policy.decide(shell('npm test'))).toMatchObject({ kind: 'ask' });
    });
  });

  it.each([
    ['file_read(src/*)', 'src/a', true],
    ['file_read(src/*)', 'src/a/b', false],
    ['file_read(src/**)', 'src', true],
    ['file_read(**/*.ts)', 'a.ts', true],
    ['file_read(**/*.ts)', 'a/b/c.ts', true],
    ['file_read(*.ts)', 'a/b.ts', false],
    ['file_read(./a.ts)', 'a.ts', true],
    ['file_read(/home/me/project/a)', 'a', true],
    ['file_read(a?c)', 'abc', true],
    ['file_*', 'x', true],
    ['*', 'x', true],
    ['file_reads', 'x', false],
    ['file_read(A.TS)', 'a.ts', true],
  ])('deny rule %j: %j denied is %j', async (rule, path, isDenied) => {
    const { policy } = await policyOf({ deny: [rule] });
    expect(policy.decide(read(`${ROOT}/${path}`)).kind === 'deny').toBe(isDenied);
  });

  it('allow a name only with exactly its letters', async () => {
    const { policy } = await policyOf({ allow: ['file_write(A.TS)'] });
    expect(policy.decide(write(`${ROOT}/a.ts`))).toMatchObject({ kind: 'ask' });
  });

  it.each([
    '',
    'bash(',
    'bash(npm test',
    'bash()',
    'bash("a)',
    '(x)',
    'bash npm',
    'bash(a && b)',
    'bash(a; b)',
    'bash(*x y)',
    'x'.repeat(3000),
    'Ünder',
  ])('the invalid rule %j is a warning and allows nothing', async (rule) => {
    const { policy, warnings } = await policyOf({ allow: [rule] });
    expect(warnings).toEqual([expect.stringContaining('tools.allow')]);
    for (const line of ['npm test', 'a', 'x y']) expect(policy.decide(shell(line)).kind).toBe('ask');
  });

  it('an invalid rule that would deny applies to its whole tool, or to all', async () => {
    const one = await policyOf({ allow: ['*'], deny: ['bash(npm'] });
    expect(one.policy.decide(shell('ls')).kind).toBe('deny');
    expect(one.policy.decide(read(`${ROOT}/a`)).kind).toBe('allow');
    expect(one.warnings).toEqual([expect.stringContaining('all of bash')]);
    const all = await policyOf({ allow: ['*'], deny: ['(npm)'] });
    expect(all.policy.decide(read(`${ROOT}/a`)).kind).toBe('deny');
  });

  it.each([
    ['bash(curl)', 'curl'],
    ['bash(curl *)', '/usr/bin/curl e'],
    ['bash(curl *)', './CURL e'],
    ['bash(curl *)', 'echo a; env timeout 5 curl e'],
    ['bash(curl *)', 'X=1 curl e'],
    ['bash(curl *)', 'echo `curl e`'],
    ['bash(git push *)', 'git -C lib push'],
    ['bash(git push *)', 'git $X'],
    ['bash(npm publish)', 'npm $X'],
    ['bash(npm publish)', 'npm "$X"'],
    ['bash(npm publish)', 'echo publish | xargs npm'],
    ['bash(env *)', 'env ls'],
    ['bash', 'true'],
    ['file_write', 'echo x > a'],
    ['file_write(src/**)', 'echo x > src/a'],
    ['file_write(src/**)', 'cd src && echo x > a'],
    ['file_write(src/**)', 'echo x > $F'],
    ['file_read(src/**)', 'cat < src/a'],
  ])('deny rule %j denies %j too', async (rule, line) => {
    const { policy } = await policyOf({ allow: ['bash', 'file_write'], deny: [rule] });
    expect(policy.decide(shell(line))).toMatchObject({ kind: 'deny', rule: `deny:${rule}` });
  });

  it.each([
    ['bash(npm test)', 'npm test', 'allow'],
    ['bash(npm test)', 'npm test x', 'ask'],
    ['bash(npm test)', 'npm', 'ask'],
    ['bash(npm test)', 'npm "test"', 'allow'],
    ['bash(npm test)', 'npm $X', 'ask'],
    ['bash(npm test)', './npm test', 'ask'],
    ['bash(npm test)', 'npm test > a', 'ask'],
    ['bash(npm test *)', 'npm test', 'allow'],
    ['bash(npm run test:*)', 'npm run test:unit', 'allow'],
    ['bash(npm run test:*)', 'npm run test:unit x', 'ask'],
    ["bash(say '*')", "say '*'", 'allow'],
    ["bash(say '*')", 'say a', 'ask'],
    ['bash(*)', 'anything at all', 'allow'],
    ['bash', 'X=1 anything > a', 'allow'],
    ['bash(a "b c")', "a 'b c'", 'allow'],
    ['bash(a "b c")', 'a b c', 'ask'],
  ])('allow rule %j with %j: %s', async (rule, line, kind) => {
    const { policy } = await policyOf({ allow: [rule] });
    expect(policy.decide(shell(line)).kind).toBe(kind);
  });

  it('a pattern for bash matches commands of any tool, and only the name matches just that tool', async () => {
    const pattern = await policyOf({ allow: ['git'], deny: ['bash(git push *)'] });
    expect(pattern.policy.decide(program('git', 'git', 'push')).kind).toBe('deny');
    expect(pattern.policy.decide(program('git', 'git', 'commit', '-m', 'x')).kind).toBe('allow');
    const name = await policyOf({ allow: ['git'], deny: ['bash'] });
    expect(name.policy.decide(program('git', 'git', 'push')).kind).toBe('allow');
  });

  it('treat unknown words of find as anything that find could run', async () => {
    const { policy } = await policyOf({ allow: ['bash(find *)', 'bash(ls *)'] });
    expect(policy.decide(shell('find . -name x -exec ls {} +')).kind).toBe('allow');
    expect(policy.decide(shell('find $X -exec ls {} +')).kind).toBe('ask');
    expect(policy.decide(shell('find . -name *.ts')).kind).toBe('ask');
  });

  it.each([
    ['the root of the project', 'echo x > notes/up/../package.json', 'ask'],
    ['a file next to the project', 'echo x > notes/up/../../other', 'deny'],
    ['what a rule forbids', 'echo x > notes/up/../secret/a', 'deny'],
    ['the same file from the target of cd', 'cd notes/up; echo x > ../secret/a', 'deny'],
    ['the same file from the target of cd -P', 'cd -P notes/up/..; echo x > secret/a', 'deny'],
    ['the directory itself', 'echo x > notes/../notes/b', 'allow'],
  ])('resolve .. after a link as the kernel does, to %s', async (_, line, kind) => {
    const realPath = (path: string) => path.replace(/^\/home\/me\/project\/notes\/up(?=\/|$)/, `${ROOT}/lib`);
    const settings = { allow: ['bash(echo *)', 'file_write(notes/**)'], deny: ['file_write(secret/**)'] };
    const { policy } = await policyOf(settings, { realPath });
    expect(policy.decide(shell(line)).kind).toBe(kind);
  });

  it('follow the links that they are told of', async () => {
    const realPath = (path: string) => path.replace(`${ROOT}/link`, '/etc');
    const { policy } = await policyOf({ allow: ['bash', 'file_write'] }, { realPath });
    expect(policy.decide(shell('echo x > link/motd'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
    expect(policy.decide(shell('echo x > other/motd'))).toMatchObject({ kind: 'allow' });
  });
});

describe('a machine without a sandbox', () => {
  it('runs nothing unasked, and does not offer “always”', async () => {
    const { policy } = await policyOf({ allow: ['bash(ls)'] }, { isConfined: false });
    const decision = policy.decide(shell('ls'));
    expect(decision).toMatchObject({ kind: 'ask', rule: 'sandbox:none' });
    expect(decision).not.toHaveProperty('grant');
    expect(policy.decide(read(`${ROOT}/a`)).kind).toBe('allow');
  });

  it('runs nothing at all if a sandbox is required', async () => {
    const { policy } = await policyOf({ allow: ['bash'], sandbox: 'required' }, { isConfined: false });
    expect(policy.decide(shell('ls'))).toMatchObject({ kind: 'deny', rule: 'sandbox:required' });
  });

  it('asks about each program if the user switched the sandbox off', async () => {
    const { policy } = await policyOf({ allow: ['bash'], sandbox: 'off' });
    expect(policy.decide(shell('ls'))).toMatchObject({ kind: 'ask', rule: 'sandbox:none' });
  });

  it('lets git read only through its own tool in the whole project, and otherwise in its root', async () => {
    const { policy } = await policyOf();
    expect(policy.decide(shell('git status')).kind).toBe('allow');
    expect(policy.decide(shell('git status', `${ROOT}/vendored`)).kind).toBe('ask');
    const command = { kind: 'program', argv: ['git', 'status'], cwd: `${ROOT}/vendored` } as const;
    expect(policy.decide({ ...program('git', 'git'), command }).kind).toBe('allow');
  });

  it('runs nothing outside the project', async () => {
    const { policy } = await policyOf({ allow: ['bash'] });
    expect(policy.decide(shell('ls', '/etc'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
  });
});

describe('grants', () => {
  it('allow the action that they name, are named in the decision, and end when they are revoked', async () => {
    const grants = createSessionGrants(() => Date.parse('2026-11-22T10:00:00Z'));
    const { policy } = await policyOf({}, { grants });
    const asked = policy.decide(shell('npm test'));
    if (asked.kind !== 'ask' || asked.grant === undefined) throw new Error('no grant is offered');
    policy.grant(asked.grant);
    expect(policy.decide(shell('npm test'))).toEqual({ kind: 'allow', by: 'grant', rule: 'grant:1' });
    expect(policy.decide(shell('npm test --watch')).kind).toBe('ask');
    expect(grants.list()).toEqual([{ number: 1, rule: 'bash(npm test)', grantedAt: '2026-11-22T10:00:00.000Z' }]);
    expect(await grants.revoke(1)).toBe(true);
    expect(await grants.revoke(1)).toBe(false);
    expect(policy.decide(shell('npm test')).kind).toBe('ask');
    policy.grant('bash(x)');
    expect(grants.list()[0]?.number).toBe(2);
  });

  it('of an unreadable form allow nothing', async () => {
    const { policy } = await policyOf();
    policy.grant('bash(');
    expect(policy.decide(shell('make')).kind).toBe('ask');
  });
});

describe('a place that only confined programs see', () => {
  const own = { ownPlaces: ['/tmp'] };

  it('may be opened by a shell, after a question for writing, and not by a built-in tool', async () => {
    const { policy } = await policyOf({}, own);
    expect(policy.decide(shell('true > /tmp/x'))).toMatchObject({ kind: 'ask', rule: 'default:write' });
    expect(policy.decide(shell('true < /tmp/x'))).toMatchObject({ kind: 'allow' });
    expect(policy.decide(write('/tmp/x'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
    expect(policy.decide(read('/tmp/x'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
  });

  it('does not exist without a sandbox, under a different name, or where keys are', async () => {
    const open = (await policyOf()).policy;
    expect(open.decide(shell('true > /tmp/x'))).toMatchObject({ kind: 'deny', rule: 'default:outside' });
    const { policy } = await policyOf({ hidden: ['/tmp/taxes'] }, own);
    for (const path of ['/tmp/../etc/x', '/tmpx', '/tmp/taxes/a', '/tmp/.env'])
      expect(policy.decide(shell(`true > ${path}`))).toMatchObject({ kind: 'deny' });
  });

  it('can be written unasked if a rule allows it', async () => {
    const { policy } = await policyOf({ allow: ['file_write(/tmp/**)'] }, own);
    expect(policy.decide(shell('true > /tmp/x'))).toMatchObject({ kind: 'allow' });
  });
});

it('a policy hides and opens the target of a link in the settings', async () => {
  const realPath = (path: string) =>
    path.replace('/home/me/.aws', `${ROOT}/dotfiles/aws`).replace('/home/me/lib', '/lib2');
  const { policy } = await policyOf({ readable: ['/home/me/lib'] }, { realPath });
  expect(policy.decide(read(`${ROOT}/dotfiles/aws/config`))).toMatchObject({ kind: 'deny', rule: 'default:hidden' });
  expect(policy.decide(read('/lib2/a'))).toMatchObject({ kind: 'allow', rule: 'default:readable' });
});

describe('a skill that the user trusts', () => {
  const skills = () => ['/home/me/.claude/skills/draw', '/home/me/.ollm/skills/notes', `${ROOT}/.ollm/skills/ship`];
  const inSkills = [
    '/home/me/.claude/skills/draw/x.py',
    '/home/me/.ollm/skills/notes/a/b.md',
    `${ROOT}/.ollm/skills/ship/c`,
  ];

  it.each(inSkills)('may be read at %j only by the file tools, and is not changed', async (path) => {
    const { policy } = await policyOf({}, { skills });
    expect(policy.decide(read(path))).toMatchObject({ kind: 'allow' });
    expect(policy.decide(write(path))).toMatchObject({ kind: 'deny' });
    expect(policy.decide(shell(`sort < ${path}`))).toMatchObject({ kind: 'deny' });
    expect((await policyOf()).policy.decide(read(path))).toMatchObject({ kind: 'deny' });
  });

  it.each([
    '/home/me/.claude/skills/other/x.py',
    '/home/me/.claude/skills/draw/.env',
    '/home/me/.claude/skills/draw/id_ed25519',
    '/home/me/.claude/skills/draw/.ollm/config.yaml',
    '/home/me/.ollm/config.yaml',
    `${ROOT}/.ollm/config.yaml`,
  ])('does not open %j', async (path) => {
    const { policy } = await policyOf({}, { skills });
    expect(policy.decide(read(path))).toMatchObject({ kind: 'deny' });
  });

  it.each([['/home/me'], ['/home'], ['/']])('opens nothing if it is a link to %j', async (place) => {
    const { policy } = await policyOf({}, { skills: () => [place] });
    expect(policy.decide(read('/home/me/letters.txt'))).toMatchObject({ kind: 'deny' });
    expect(policy.decide(read('/home/me/.ollm/config.yaml'))).toMatchObject({ kind: 'deny' });
  });

  it('stays closed if the user hides, denies or asks about it', async () => {
    const [path] = inSkills as [string];
    const decided = async (settings: Parameters<typeof policyOf>[0]) =>
      (await policyOf(settings, { skills })).policy.decide(read(path)).kind;
    expect(await decided({ hidden: ['/home/me/.claude'] })).toBe('deny');
    expect(await decided({ deny: ['file_read(/home/me/.claude/**)'] })).toBe('deny');
    expect(await decided({ ask: [`file_read(${path})`] })).toBe('ask');
  });
});
