// Sessions of other agents by their addresses, as a person and a script see them.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFileStore } from '../../../lib/index.ts';
import {
  agentFiles,
  CLAUDE_FILE,
  CLAUDE_ID,
  CODEX_ID,
  claudePrompt,
  lines,
  listingOf,
  TOKEN,
} from '../../support/agent-homes.ts';
import { createHome, type Home, OLLM, parseLines, type RunResult } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';

let home: Home;
const ollm = (...args: string[]): Promise<RunResult> => home.here(args);

beforeAll(async () => {
  home = createHome();
  for (const [path, content] of Object.entries(agentFiles())) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), content);
  }
  await home.append('walk', [
    { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'Where to?' }], trusted: true } },
  ]);
});
afterAll(() => home[Symbol.dispose]());

describe('an address', () => {
  it.each([
    ['show', 'claude:5f3c'],
    ['show', 'claude:5f3c', '--json'],
    ['show', 'claude:5f3c#9a02'],
    ['show', 'codex:019b'],
    ['replay', 'claude:5f3c', '--state', 'all'],
    ['export', 'claude:5f3c'],
    ['export', 'claude:5f3c', '--format', 'html'],
    ['export', 'claude:5f3c', '--format', 'json'],
    ['export', 'claude:5f3c', '--format', 'jsonl', '--redact'],
    ['tail', 'claude:5f3c'],
    ['tail', 'claude:5f3c', '--json', '-n', 'all'],
    ['loop', 'claude:5f3c'],
    ['audit', 'claude:5f3c'],
    ['audit', 'codex:019b', '--json'],
  ])('is read by %s %s %s %s, without a change to the files of the agent', async (...args) => {
    const before = listingOf(home.path);
    const { exitCode, stdout, stderr } = await ollm(...args.filter(Boolean));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: args[0] === 'audit' && args[1] !== 'claude:5f3c' ? stderr : '',
    });
    expect(stdout).not.toBe('');
    expect(`${stdout}${stderr}`).not.toContain(TOKEN);
    expect(stdout.replaceAll('\\u001b', '')).not.toContain('\u001b');
    expect(listingOf(home.path)).toEqual(before);
  });

  it('is listed and found for each name that a file can have, and leads to the file; its own name leads to the address', async () => {
    using home = createHome();
    const names = ['5f3c copy', ' 5f3c', '5f3c,2', '5f3c#2', '5f3c\t', '5f3c%20copy', '5'.repeat(240)];
    const folder = join(home.path, dirname(CLAUDE_FILE));
    mkdirSync(folder, { recursive: true });
    const paths = names.map((name) => join(folder, `${name}.jsonl`));
    for (const [at, path] of paths.entries())
      writeFileSync(path, lines([claudePrompt(`u${at}`, `A rare brig ${at}`, `2026-01-02T10:00:0${at}.000Z`)]));
    const listed = JSON.parse((await home.here(['list', '--agent', 'claude', '--json'])).stdout) as object[];
    const found = parseLines((await home.here(['search', 'brig', '--json'])).stdout);
    for (const rows of [listed, found] as { readonly address: string }[][]) {
      const shown = rows.map(({ address }) => home.here(['show', address.split('#')[0]!, '--json']));
      const locations = (await Promise.all(shown)).map(({ stdout }) => JSON.parse(stdout).location as string);
      expect(locations.sort()).toEqual(paths.toSorted());
    }
    for (const [name, id] of [
      ['5f3c,2', '5f3c%2C2'],
      ['5f3c copy', '5f3c%20copy'],
    ] as const) {
      const { exitCode, stderr } = await home.here(['show', `claude:${name}`]);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`Claude Code calls so is claude:${id}.`)]);
    }
    const { stdout } = await home.here(['show', 'claude:5f3c%20copy']);
    expect(stdout).toMatch(/^goes on by +claude --resume '5f3c copy'$/m);
  });

  it('of two files with one odd name resumes by the name that the program knows', async () => {
    using home = createHome();
    const folders = [dirname(CLAUDE_FILE), join('.claude', 'projects', '-elsewhere')];
    for (const [at, folder] of folders.entries()) {
      mkdirSync(join(home.path, folder), { recursive: true });
      const said = claudePrompt(`u${at}`, `A rare brig ${at}`, `2026-01-02T10:00:0${at}.000Z`);
      writeFileSync(join(home.path, folder, '5f3c, a copy.jsonl'), lines([said]));
    }
    const listed = JSON.parse((await home.here(['list', '--agent', 'claude', '--json'])).stdout) as {
      address: string;
    }[];
    const shown = await Promise.all(listed.map(({ address }) => home.here(['show', address, '--json'])));
    const resumed = shown.map(({ stdout }) => (JSON.parse(stdout) as { resume: string[] }).resume);
    expect(resumed).toEqual([
      ['claude', '--resume', '5f3c, a copy'],
      ['claude', '--resume', '5f3c, a copy'],
    ]);
  });

  it('show names its program and the place of its file', async () => {
    const { stdout } = await ollm('show', 'claude:5f3c');
    expect(stdout).toMatch(/^id +claude:5f3c0000-1111-4222-8333-444455556666$/m);
    expect(stdout).toMatch(/^agent +Claude Code$/m);
    expect(stdout).toMatch(/^title +The mast of the boat$/m);
    expect(stdout).toMatch(/^model +claude-test-1 \(anthropic\)$/m);
    expect(stdout).toContain(CLAUDE_FILE);
    expect(JSON.parse((await ollm('show', 'claude:5f3c', '--json')).stdout)).toMatchObject({
      id: `claude:${CLAUDE_ID}`,
      agent: { name: 'claude', title: 'Claude Code' },
      locked: false,
    });
  });

  it('exports like a session of ollm: hostile content is text, a picture has its caption', async () => {
    const { stdout: md } = await ollm('export', 'claude:5f3c');
    expect(md).toContain('The mast of the boat');
    expect(md).toContain('[redacted github-token 40]');
    expect(md).toMatch(/\[image, image\/png, blobs\/[0-9a-f]{64}\\]/);
    const { stdout: html } = await ollm('export', 'claude:5f3c', '--format', 'html');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script>alert(1)');
  });

  it('of a message shows only that message', async () => {
    const { stdout } = await ollm('show', 'claude:5f3c#9a01');
    expect(stdout).toContain('mast?');
    expect(stdout).not.toContain('On deck');
    const { events, key } = JSON.parse((await ollm('show', 'claude:5f3c#9a02', '--json')).stdout);
    expect(key).toBe('9a02');
    expect(events.map(({ type }: { type: string }) => type)).toContain('tool.requested');
    expect(JSON.parse((await ollm('show', 'ollm:walk#1', '--json')).stdout)).toMatchObject({
      id: 'walk',
      events: [{ seq: 1, type: 'message.added' }],
    });
    expect(await ollm('show', 'claude:5f3c#none')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`claude:${CLAUDE_ID} has no message "none".`),
    });
  });

  it('tail --json prints the lines that a journal would have, without checksums', async () => {
    const events = parseLines((await ollm('tail', 'codex:019b', '-n', 'all', '--json')).stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events[0]).toMatchObject({ type: 'session.created', data: { origin: { address: `codex:${CODEX_ID}` } } });
    expect(events[0]).not.toHaveProperty('xxh64');
  });

  it('is followed while its program writes', async () => {
    const path = join(home.path, CLAUDE_FILE);
    const content = readFileSync(path);
    const child = home.start(['tail', 'claude:5f3c', '-f', '-n', '1']);
    let seen = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => seen !== '');
    appendFileSync(path, lines([claudePrompt('9a05', 'And the anchor?', '2026-01-02T11:00:00.000Z')]));
    await until(() => seen.includes('And the anchor?'));
    child.kill('SIGINT');
    await ended;
    writeFileSync(path, content);
  });

  it.each([['verify'], ['repair'], ['diff', 'walk'], ['replay', '--write'], ['export', '--format', 'jsonl']])(
    'is refused by %s, which needs checksums, with the command to import it',
    async (command, ...more) => {
      const { exitCode, stderr } = await ollm(command, 'claude:5f3c', ...more);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: `ollm: claude:${CLAUDE_ID} has no checksums of its own.\nImport it first: ollm import claude:${CLAUDE_ID}\n`,
      });
    },
  );

  it("can be deleted only from ollm's own lists, and restored: the file of its program stays", async () => {
    const before = listingOf(home.path);
    expect(await ollm('delete', 'claude:5f3c')).toMatchObject({ exitCode: 0 });
    expect((await ollm('list', '--all')).stdout).not.toContain('claude:5f3c');
    expect(listingOf(home.path)).toEqual(before);
    expect(await ollm('restore', 'claude:5f3c')).toMatchObject({ exitCode: 0 });
    expect((await ollm('list', '--all')).stdout).toContain('claude:5f3c');
  });

  it.each([
    [
      'claude:5f',
      2,
      `ollm: 2 sessions begin with "claude:5f":\n  claude:${CLAUDE_ID}  The mast of the boat\n  claude:5f9d0000-1111-4222-8333-444455556666  Paint the hull blue\nGive more of the id.\n`,
    ],
    [
      'claude:',
      2,
      'ollm: “claude:” names no session: the id is missing.\nType claude: and the beginning of an id. "ollm list --agent claude" shows them.\n',
    ],
    ['ollm:', 2, 'ollm: “ollm:” names no session: the id is missing.\n'],
    [
      'claude:none',
      3,
      'There is no session claude:none.\n"ollm list --agent claude" shows all sessions of Claude Code.',
    ],
    ['gemini:x', 3, 'There is no session gemini:x. Gemini CLI has no session in '],
    ['pigeon:5f3c', 3, '"pigeon" is not an agent; there are: aider, amp, antigravity, claude, cline, codex'],
    [`codex:${CODEX_ID.slice(0, -1)}2`, 3, `Did you mean codex:${CODEX_ID}?`],
    ['claude:../../etc/passwd', 3, 'There is no session claude:../../etc/passwd.'],
  ])('%s is refused with an explanation', async (reference, exitCode, text) => {
    const result = await ollm('show', reference);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(text);
  });
});

describe('lists of sessions and agents', () => {
  it('list --all prints a line of cells for each session through a pipe, and a document with --json', async () => {
    const before = listingOf(home.path);
    const { stdout, stderr, exitCode } = await ollm('list', '--all');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const cells = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(cells.map(([address]) => address)).toEqual([
      'ollm:walk',
      `codex:${CODEX_ID}`,
      expect.stringMatching(/^claude:5f9d/),
      `claude:${CLAUDE_ID}`,
    ]);
    expect(cells[1]).toEqual([
      `codex:${CODEX_ID}`,
      '2026-01-04T10:00:06.000Z',
      '',
      '/home/ada/boat',
      'gpt-5.4',
      'How long is the mast?',
    ]);
    const rows = JSON.parse((await ollm('list', '--agent', 'codex', '--json')).stdout);
    expect(rows).toMatchObject([{ address: `codex:${CODEX_ID}`, agent: 'codex', gone: false }]);
    expect(listingOf(home.path)).toEqual(before);
  });

  it("list without these options shows only ollm's own sessions, as before", async () => {
    expect((await ollm('list')).stdout).toMatch(/^walk\t[^\n]+\n$/);
  });

  it('find a session by the id that its program prints, although its files have only a part of it', async () => {
    using other = createHome();
    const id = 'e6ef8b2d-0aa1-4c5f-9d3a-1b2c3d4e5f60';
    const header = { sessionId: id, projectHash: 'x', startTime: '2026-03-01T08:00:00.000Z', kind: 'main' };
    const said = { id: 'm1', timestamp: '2026-03-01T08:00:01.000Z', type: 'user', content: [{ text: 'Which mast?' }] };
    const stranger = { ...header, sessionId: `${id.slice(0, -1)}1` };
    const chats = join(other.path, '.gemini/tmp/boat/chats');
    mkdirSync(chats, { recursive: true });
    for (const [time, records] of [
      ['2026-03-01T08-00', [header, said]],
      // What a continued session leaves out, and another session of the same beginning.
      ['2026-03-01T09-00', [header]],
      ['2026-03-01T10-00', [stranger, { ...said, id: 'm2' }]],
    ] as const) {
      writeFileSync(join(chats, `session-${time}-${id.slice(0, 8)}.jsonl`), lines(records));
    }
    const idOf = async (typed: string) => {
      const { stdout, stderr } = await other.here(['show', typed, '--json']);
      return stdout === '' ? stderr : (JSON.parse(stdout) as { id: string }).id;
    };
    expect(await idOf(`gemini:${id}`)).toBe('gemini:e6ef8b2d-2026-03-01T08-00');
    expect(await idOf(`gemini:${stranger.sessionId.toUpperCase()}`)).toBe('gemini:e6ef8b2d-2026-03-01T10-00');
    expect(await idOf(`gemini:${id.slice(0, -1)}7`)).toContain('There is no session');
    expect((await other.here(['import', `gemini:${id}`])).exitCode).toBe(0);
    for (const name of readdirSync(chats)) unlinkSync(join(chats, name));
    expect(JSON.parse((await other.here(['show', `gemini:${id}`, '--json'])).stdout)).toMatchObject({
      summary: { lastMessage: { excerpt: 'Which mast?' } },
    });
  });

  it('list --all is a table on a terminal, with short addresses', async () => {
    await using terminal = openTerminal(process.execPath, [OLLM, 'list', '--all'], {
      cwd: home.path,
      columns: 120,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
    });
    await terminal.waitFor(/claude:5f3c0000 .*~?.*\/home\/ada\/boat .*The mast of the boat/);
  });

  it('agents lists the agents that were found, their places, and their number of sessions', async () => {
    const before = listingOf(home.path);
    const { stdout, stderr, exitCode } = await ollm('agents');
    expect(exitCode).toBe(0);
    const claude = join(home.path, '.claude/projects');
    expect(stdout).toMatch(/^claude\t2\t0\t\d+\t2026-01-0\dT[^\t]+\t2\.1\.0\t/);
    expect(stdout).toContain(claude);
    expect(stderr).toMatch(/Not found here: .*Gemini CLI/);
    const agents = JSON.parse((await ollm('agents', '--json')).stdout);
    expect(agents.find(({ name }: { name: string }) => name === 'claude')).toMatchObject({
      name: 'claude',
      sessions: 2,
      places: [{ directory: claude, exists: true }],
    });
    expect(listingOf(home.path)).toEqual(before);
  });

  it('agents reports catalogued and kept sessions, and the records not understood in the newest session or in all', async () => {
    using other = createHome();
    const [project, id] = [join(other.path, '.claude/projects/-p'), '5f3c0000-1111-4222-8333-444455556666'];
    const picture = Buffer.alloc(3000, 'a picture').toString('base64');
    const content = [
      { type: 'text', text: 'Where?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
    ];
    const prompt = claudePrompt('9a01', 'Where?', '2026-01-02T10:00:00.000Z');
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'old.jsonl'), lines([prompt, { type: 'dream' }, { type: 'dream' }]));
    writeFileSync(join(project, 'gone.jsonl'), lines([prompt]));
    expect((await other.here(['sync'])).exitCode).toBe(0);
    unlinkSync(join(project, 'gone.jsonl'));
    expect((await other.here(['sync'])).exitCode).toBe(0);
    const newest = [
      { ...prompt, message: { role: 'user', content }, mood: 'fine' },
      { type: 'mode', mode: 'plan' },
    ];
    writeFileSync(join(project, `${id}.jsonl`), lines(newest));
    expect((await other.here(['import', `claude:${id}`])).exitCode).toBe(0);
    await other.append('claude-notes', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'Mine' }], trusted: true } },
    ]);
    const rowOf = async (...options: string[]) => {
      const rows: { name: string }[] = JSON.parse((await other.here(['agents', '--json', ...options])).stdout);
      return rows.find(({ name }) => name === 'claude');
    };

    const ofTheImport = [join(other.sessions, `claude-${id}.jsonl`), ...filesIn(join(other.sessions, 'blobs'))];
    const bytes = ofTheImport.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(ofTheImport.length).toBe(3);
    expect(await rowOf()).toMatchObject({
      sessions: 2,
      catalogued: 1,
      gone: 1,
      imports: { sessions: 1, bytes },
      understanding: { sessions: 1, records: 2, notUnderstood: { 'user mood': 1 } },
    });
    expect(await rowOf('--report')).toMatchObject({
      understanding: { sessions: 2, records: 5, notUnderstood: { 'user mood': 1, dream: 2 } },
    });
    const { stdout, stderr } = await other.here(['agents', '--report']);
    expect(stdout.trimEnd().split('\t').slice(7)).toEqual(['1', '1', String(bytes), '2']);
    expect(stderr).toContain('Claude Code: in 2 sessions, not understood yet: dream (2), user mood (1).');
    expect(stderr).toContain('Claude Code: 1 session more vanished');
  });
});

describe('the address of an imported session', () => {
  const ID = `claude-${CLAUDE_ID}`;
  beforeAll(async () => {
    const store = openFileStore(home.sessions);
    const created = {
      format: 1,
      sessionId: ID,
      model: 'claude-test-1',
      provider: 'anthropic',
      ollm: '0.1.0',
      origin: { agent: 'claude', path: '/gone', sessionId: CLAUDE_ID, address: `claude:${CLAUDE_ID}` },
    };
    const writer = await store.create(ID, created);
    await writer.append([
      { type: 'session.titled', data: { title: 'As it was imported', by: 'derived' } },
      { type: 'session.closed', data: { reason: 'exit' } },
    ]);
    await writer.close();
  });

  it('reads the file of the agent, and with --imported the import', async () => {
    expect((await ollm('show', 'claude:5f3c')).stdout).toMatch(new RegExp(`^imported +as ${ID}$`, 'm'));
    expect((await ollm('show', 'claude:5f3c', '--imported')).stdout).toMatch(/^title +As it was imported$/m);
    expect(await ollm('show', 'codex:019b', '--imported')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('has not been imported'),
    });
  });

  it('can be verified, because an import has checksums', async () => {
    expect(await ollm('verify', 'claude:5f3c')).toMatchObject({ exitCode: 0 });
  });

  it('reads the import once the file is gone, also by the beginning of its id', async () => {
    const env = { CLAUDE_CONFIG_DIR: join(home.path, 'nowhere') };
    const { stdout } = await home.here(['show', 'claude:5f3c'], { env });
    expect(stdout).toMatch(/^title +As it was imported$/m);
  });
});

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory).map((name) => join(directory, name));
}
