// `ollm audit`, as people and scripts run it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openGrants } from '../../../lib/app/policy/grants-file.ts';
import { nodeFileSystem, systemClock, systemIds } from '../../../lib/platform/index.ts';
import { createHome, type Home } from '../../support/cli.ts';

const HASH = 'a'.repeat(64);
const EVENTS = [
  { type: 'turn.started', turn: 1, data: { input: 'go' } },
  {
    type: 'tool.requested',
    turn: 1,
    data: { callId: 'c1', name: 'bash', args: { command: 'npm test\u001b]52;c;eA==\u0007\u202e' } },
  },
  {
    type: 'tool.decided',
    turn: 1,
    data: { callId: 'c1', decision: 'allow', by: 'policy', rule: 'allow:bash(npm test)', actionHash: HASH },
  },
  {
    type: 'tool.started',
    turn: 1,
    data: {
      callId: 'c1',
      cwd: '/project',
      command: 'npm test',
      sandbox: 'bubblewrap',
      network: false,
      envRemoved: ['A_TOKEN', 'B_KEY'],
      actionHash: HASH,
    },
  },
  {
    type: 'tool.finished',
    turn: 1,
    data: {
      callId: 'c1',
      status: 'ok',
      result: { llmContent: `fine ${'x'.repeat(500)}` },
      tokens: { count: 3, method: 'estimated' },
      durationMs: 1200,
      truncated: { originalBytes: 900, keptBytes: 500 },
      trusted: false,
    },
  },
  { type: 'tool.requested', turn: 1, data: { callId: 'c2', name: 'file_write', args: { path: 'a' } } },
  {
    type: 'tool.decided',
    turn: 1,
    data: { callId: 'c2', decision: 'deny', by: 'policy', rule: 'default:outside', reason: 'It is outside.' },
  },
  { type: 'tool.requested', turn: 1, data: { callId: 'c3', name: 'bash', args: 'no json' } },
];

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.append('work', EVENTS);
  await home.append('none', EVENTS.slice(0, 1));
});
afterAll(() => home[Symbol.dispose]());

describe('ollm audit', () => {
  it('shows for each call its decision, rule, program, end and faults', async () => {
    const { stdout, exitCode } = await home.here(['audit', 'work']);
    expect(exitCode).toBe(0);
    const told = stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME').split('\n');
    expect(told.slice(0, 6)).toEqual([
      expect.stringMatching(/^bash \{"command":"npm test/),
      '  asked   TIME, event 2, turn 1, call c1',
      '  decided TIME, allow by policy · rule allow:bash(npm test)',
      '  ran     TIME · npm test · in /project · sandbox bubblewrap · without network · without 2 variables: A_TOKEN B_KEY',
      '  ended   TIME, ok after 1.2 s · 500 of 900 bytes kept',
      '',
    ]);
    expect(stdout).toContain('deny by policy · rule default:outside · It is outside.');
    expect(stdout).toContain('bash no json');
    expect(stdout).toContain('It has no decision.');
  });

  it('prints no control sequence that would move a terminal', async () => {
    const { stdout } = await home.here(['audit', 'work']);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('--json has every member in one document', async () => {
    const { stdout } = await home.here(['audit', 'work', '--json']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ id: 'work', damaged: 0, damage: [] });
    expect(report.calls.map(({ callId }: { callId: string }) => callId)).toEqual(['c1', 'c2', 'c3']);
    expect(report.calls[0]).toMatchObject({
      tool: 'bash',
      decisions: [{ decision: 'allow', by: 'policy', actionHash: HASH }],
      starts: [{ envRemoved: ['A_TOKEN', 'B_KEY'] }],
      ends: [{ status: 'ok', durationMs: 1200 }],
      findings: [],
    });
  });

  it('says so if no tool was called, and if the session does not exist', async () => {
    expect(await home.here(['audit', 'none'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('No tool'),
    });
    expect((await home.here(['audit', 'nowhere'])).exitCode).toBe(3);
    expect((await home.here(['audit'])).exitCode).toBe(2);
    expect((await home.here(['audit', '../etc/passwd'])).exitCode).toBe(2);
  });

  it('reads the intact part of a damaged journal, and exits with 4', async () => {
    await home.append('hurt', EVENTS);
    const lines = readFileSync(home.journal('hurt'), 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"tool.decided"'));
    lines[at] = (lines[at] ?? '').replace('allow', 'aXXow');
    writeFileSync(home.journal('hurt'), lines.join('\n'));
    const { stdout, stderr, exitCode } = await home.here(['audit', 'hurt']);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/damage|checksum/i);
    expect(stdout).toContain('npm test');
    expect(stdout).toContain('It has no decision.');
  });
});

describe('ollm audit --grants', () => {
  it('lists the permanent grants of this project, and revokes one', async () => {
    const root = join(home.path, 'project');
    mkdirSync(join(root, '.git'), { recursive: true });
    const grants = openGrants({
      mode: 'global',
      paths: { home: home.path, project: root },
      fileSystem: nodeFileSystem,
      ids: systemIds,
      clock: systemClock,
      process: { uid: process.getuid?.() },
    });
    await grants.add('bash(npm test)');
    await grants.add('bash(echo \u001b[2J)');
    const inside = { cwd: root };
    const { stdout } = await home.here(['audit', '--grants'], inside);
    expect(stdout).toMatch(/^ {3}1 {2}bash\(npm test\) {2}/);
    expect(stdout).not.toContain('\u001b');
    expect((await home.here(['audit', '--grants'])).stdout).toBe('');
    expect((await home.here(['audit', '--revoke', '2'], inside)).exitCode).toBe(0);
    expect((await home.here(['audit', '--revoke', '2'], inside)).exitCode).toBe(2);
    const { stdout: json } = await home.here(['audit', '--grants', '--json'], inside);
    expect(JSON.parse(json)).toMatchObject({ project: root, grants: [{ number: 1, rule: 'bash(npm test)' }] });
  });

  it('does not read files of the project as grants', async () => {
    const root = join(home.path, 'cloned');
    mkdirSync(join(root, '.ollm', 'grants'), { recursive: true });
    const planted = {
      format: 1,
      root,
      last: 1,
      grants: [{ number: 1, rule: 'bash', grantedAt: '2026-01-01T00:00:00Z' }],
    };
    writeFileSync(join(root, '.ollm', 'grants', 'x.json'), JSON.stringify(planted));
    const { stdout } = await home.here(['audit', '--grants', '--json'], { cwd: root });
    expect(JSON.parse(stdout).grants).toEqual([]);
  });
});
