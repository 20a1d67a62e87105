// `ollm import` as a person and a script see it.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore } from '../../lab/kernel/ledger.ts';
import { createHome, type Home } from '../../support/cli.ts';

const uuid = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
const at = '2026-01-02T03:04:05.000Z';

function prompt(number: number, text: string): string {
  const message = { role: 'user', content: text };
  const parentUuid = number === 1 ? null : uuid(number - 1);
  const place = { parentUuid, isSidechain: false, sessionId: 'a', cwd: '/home/ada/garden', version: '2.0.0' };
  return `${JSON.stringify({ type: 'user', uuid: uuid(number), timestamp: at, ...place, message })}\n`;
}

function place(home: Home, id: string): string {
  const folder = join(home.path, '.claude', 'projects', '-home-ada-garden');
  mkdirSync(folder, { recursive: true });
  return join(folder, `${id}.jsonl`);
}

describe('ollm import', () => {
  it('imports a session by a part of its id, prints its id, and prints nothing the second time', async () => {
    using home = createHome();
    writeFileSync(place(home, 'oak-1'), prompt(1, 'Why does it grow?') + prompt(2, 'And how?'));
    expect(await home.here(['import', 'claude:oak'])).toMatchObject({
      exitCode: 0,
      stdout: 'claude-oak-1\n',
      stderr: expect.stringMatching(/^1 session of 1 imported: \d+ new events\.\n$/),
    });
    expect((await home.here(['export', 'claude-oak-1'])).stdout).toContain('Why does it grow?');
    const before = readFileSync(home.journal('claude-oak-1'));
    const { stdout } = await home.here(['import', '--all', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, imported: 0, unchanged: 1, events: 0, skipped: [] });
    expect(readFileSync(home.journal('claude-oak-1'))).toEqual(before);
  });

  it('skips a session whose journal a run holds, and says so', async () => {
    using home = createHome();
    const path = place(home, 'yew');
    writeFileSync(path, prompt(1, 'One'));
    writeFileSync(place(home, 'fir'), prompt(1, 'Other'));
    await home.here(['import', '--all']);
    appendFileSync(path, prompt(2, 'Two'));
    const writer = await openStore(home.sessions).openWriter('claude-yew');
    const all = await home.here(['import', '--all']);
    expect(all).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('claude:yew is held by a run in process'),
    });
    expect(await home.here(['import', 'claude:yew'])).toMatchObject({ exitCode: 0, stdout: 'claude-yew\n' });
    await writer.close();
    expect((await home.here(['import', '--all'])).stderr).toContain('1 continued');
  });

  it('continues a source that grew, and reports how many records it understands', async () => {
    using home = createHome();
    const path = place(home, 'elm');
    writeFileSync(path, prompt(1, 'One'));
    await home.here(['import', '--agent', 'claude']);
    appendFileSync(path, `${prompt(2, 'Two')}{"type":"strange","text":"x"}\nnot json\n`);
    const { exitCode, stdout, stderr } = await home.here(['import', '--all', '--report']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 continued') });
    expect(stdout).toContain('claude:elm: 3 records');
    expect(stdout).toContain('strange: 1 only in the source');
    expect(stdout).toMatch(/damaged at byte \d+: This is not a JSON object\./);
    const { stdout: json } = await home.here(['import', 'claude:elm', '--again', '--report', '--json']);
    expect(JSON.parse(json)).toMatchObject({ again: 1, list: [{ kind: 'again', fidelity: { kept: { strange: 1 } } }] });
    const { stdout: unchanged } = await home.here(['import', 'claude:elm', '--report']);
    expect(unchanged).toContain('claude:elm: 3 records');
    expect((await home.here(['show', 'claude:elm'])).stdout).toMatch(/understood +2 of 3 records whole, 1 not/);
  });

  it('remembers the end of a long session, without a secret in its title', async () => {
    using home = createHome();
    const long = prompt(1, 'x'.repeat(300_000));
    const title = (text: string) => `${JSON.stringify({ type: 'custom-title', customTitle: text, sessionId: 'a' })}\n`;
    writeFileSync(place(home, 'elm'), `${title('The mast')}${long}`);
    writeFileSync(place(home, 'oak'), `${title(`The token is ghp_${'a1B2'.repeat(9)}`)}${long}`);
    expect((await home.here(['import', '--all'])).exitCode).toBe(0);
    const remembered = () => readdirSync(home.sessions).filter((name) => name.endsWith('.import.json'));
    expect(remembered()).toEqual(['claude-elm.import.json', 'claude-oak.import.json']);
    for (const name of remembered()) expect(readFileSync(join(home.sessions, name), 'utf8')).not.toContain('a1B2a1B2');
    appendFileSync(place(home, 'elm'), prompt(2, 'And then?'));
    expect((await home.here(['import', '--all'])).stderr).toContain('1 continued');
    expect((await home.here(['export', 'claude-elm'])).stdout).toContain('And then?');
    await home.here(['delete', 'claude-elm', '--purge', '--yes']);
    expect(remembered()).toEqual(['claude-oak.import.json']);
  });

  it('writes the source back byte for byte, only into a new file', async () => {
    using home = createHome();
    const path = place(home, 'elm');
    // Neither UTF-8 nor whole.
    const bytes = Buffer.concat([Buffer.from(prompt(1, 'One')), Buffer.from([0xff, 0x00, 0x1b])]);
    writeFileSync(path, bytes);
    await home.here(['import', '--all']);
    expect(await home.here(['export', 'claude:elm', '--format', 'source', '-o', path])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is there already'),
    });
    rmSync(path);
    expect(await home.here(['export', 'claude:elm', '--format', 'source', '-o', path])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining(`Wrote ${path}. This is the file of Claude Code, ${path}, byte for byte.`),
    });
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(dirname(path))).toEqual(['elm.jsonl']);
    const { stderr } = await home.here(['export', 'claude-elm', '--format', 'source']);
    expect(stderr).toContain('Secrets in it are not replaced.');
    expect(await home.here(['export', 'claude-elm', '--format', 'source', '--redact'])).toMatchObject({ exitCode: 2 });
  });

  it('keeps no bytes of the source once hub.redact is on, and a purge removes those from before', async () => {
    using home = createHome();
    const path = place(home, 'elm');
    const env = { OLLM_HUB__REDACT: 'true' };
    const blobs = join(dirname(home.journal('claude-elm')), 'blobs');
    const attachments = () => (existsSync(blobs) ? readdirSync(blobs) : []);
    writeFileSync(path, prompt(1, 'One'));
    await home.here(['import', '--all']);
    expect(attachments()).toHaveLength(1);
    writeFileSync(path, prompt(1, 'Two'));
    expect((await home.here(['import', '--all'], { env })).exitCode).toBe(0);
    expect(attachments()).toHaveLength(1);
    await home.here(['delete', 'claude-elm', '--purge', '--yes']);
    expect(attachments()).toEqual([]);
    expect((await home.here(['import', 'claude:elm'], { env })).stdout).toBe('claude-elm\n');
    expect(attachments()).toEqual([]);
  });

  it('skips a session that the user deleted until the user names it', async () => {
    using home = createHome();
    writeFileSync(place(home, 'elm'), prompt(1, 'One'));
    await home.here(['import', '--all']);
    await home.here(['delete', 'claude-elm', '--purge', '--yes']);
    const { stderr } = await home.here(['import', '--all']);
    expect(stderr).toContain('1 session that you deleted stayed out');
    expect((await home.here(['import', 'claude:elm'])).stdout).toBe('claude-elm\n');
  });

  it('skips a session of a different program that the user deleted, keeps its file, and imports it after a restore', async () => {
    using home = createHome();
    const path = place(home, 'elm');
    writeFileSync(path, prompt(1, 'One'));
    const deleted = await home.here(['delete', 'claude:el']);
    expect(deleted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`No byte of ${path} is changed.`) });
    expect(deleted.stdout).toContain('"ollm restore claude:elm" shows it again.');
    expect((await home.here(['list', '--all'])).stdout).toBe('');
    expect((await home.here(['list', '--all', '--hidden'])).stdout).toContain('claude:elm');
    expect((await home.here(['import', '--all'])).stderr).toContain('1 session that you deleted stayed out');
    expect(await home.here(['delete', 'claude:elm', '--purge', '--yes'])).toMatchObject({ exitCode: 2 });
    expect((await home.here(['restore'])).stderr).toContain('1 session of another program is hidden');
    expect(await home.here(['restore', 'claude:elm'])).toMatchObject({
      exitCode: 0,
      stdout: 'claude:elm is shown again.\n',
    });
    expect(await home.here(['title', 'claude:elm', 'The', 'elm'])).toMatchObject({
      exitCode: 0,
      stdout: 'claude:elm is called “The elm” from now on.\n',
    });
    expect((await home.here(['list', '--all'])).stdout).toContain('The elm');
    expect(readFileSync(path, 'utf8')).toBe(prompt(1, 'One'));
  });

  it('imports a transcript from any path, and recognizes its program by its contents', async () => {
    using home = createHome();
    const path = join(home.path, 'talk.jsonl');
    writeFileSync(path, prompt(1, 'One'));
    expect(await home.here(['import', '--file', path])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^claude-talk-[0-9a-f]{12}\n$/),
    });
    writeFileSync(path, 'nothing of the kind\n');
    expect(await home.here(['import', '--file', path])).toMatchObject({ exitCode: 1 });
  });

  it('keeps two transcripts of one name apart, and recognizes one that grew', async () => {
    using home = createHome();
    for (const [folder, text] of [
      ['a', 'One'],
      ['b', 'Two'],
    ] as const) {
      mkdirSync(join(home.path, folder));
      writeFileSync(join(home.path, folder, 'talk.jsonl'), prompt(1, text));
    }
    const imported = async (folder: string) =>
      (await home.here(['import', '--file', join(home.path, folder, 'talk.jsonl')])).stdout;
    const [one, two] = [await imported('a'), await imported('b')];
    expect(one).not.toBe(two);
    appendFileSync(join(home.path, 'a', 'talk.jsonl'), prompt(2, 'More'));
    expect(await imported('a')).toBe(one);
    expect((await home.here(['export', one.trim()])).stdout).toContain('More');
  });

  it('takes addresses or a group of sessions, not both', async () => {
    using home = createHome();
    expect(await home.here(['import', '--all', 'claude:elm'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('do not go together'),
    });
  });

  it('reports unreadable sources, and imports the rest', async () => {
    using home = createHome();
    writeFileSync(place(home, 'elm'), prompt(1, 'One'));
    writeFileSync(place(home, 'oak'), prompt(1, 'One'));
    await home.append('claude-elm', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'mine' }], trusted: true } },
    ]);
    const { exitCode, stderr } = await home.here(['import', '--all']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('claude:elm was not imported: There is a session claude-elm already');
    expect(stderr).toContain('1 session of 2 imported');
  });

  it.each([
    [[], 'It is not said which sessions'],
    [['oak'], 'is not the address'],
    [['nothing:oak'], 'is not the address of a session of another program'],
    [['claude:oak'], 'There is no session claude:oak'],
  ])('refuses %j', async (args, reason) => {
    using home = createHome();
    const { exitCode, stderr } = await home.here(['import', ...args]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(reason);
  });

  it('never writes a turn of the user into an import, and resumes it as a fork', async () => {
    using home = createHome();
    writeFileSync(place(home, 'elm'), prompt(1, 'One'));
    const { stdout } = await home.here(['fork', 'claude:elm', '--name', 'own']);
    expect(stdout).toBe('own\n');
    const before = readFileSync(home.journal('claude-elm'));
    for (const args of [
      ['ask', '--resume', 'claude-elm', 'Hi'],
      ['repl', '--resume', 'claude-elm'],
      ['append', 'claude-elm'],
    ]) {
      const { exitCode, stderr } = await home.here(args);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('ollm resume claude-elm'),
      });
    }
    const resumed = await home.here(['resume', 'claude:elm', '--provider', 'offline'], { input: 'What grows?\n' });
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.stderr).toContain('claude-elm continues in a session of your own');
    expect((await home.here(['resume', 'own', '--provider', 'offline'], { input: 'Hi\n' })).exitCode).toBe(0);
    expect(readFileSync(home.journal('claude-elm'))).toEqual(before);
    expect((await home.here(['export', 'own'])).stdout).toContain('One');
  });

  it('an import is neither counted nor removed by retention', async () => {
    using home = createHome();
    writeFileSync(place(home, 'elm'), prompt(1, 'One'));
    await home.here(['import', '--all']);
    const said = { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'a' }], trusted: true } };
    await home.append('mine', [said]);
    const { stdout } = await home.here(['prune', '--keep', '0', '--yes', '--json']);
    const { removed, spared } = JSON.parse(stdout) as { removed: { id: string }[]; spared: object[] };
    expect([removed.map(({ id }) => id), spared]).toEqual([['mine'], []]);
  });

  it('moves an import to the trash only if its activity and its file are older than hub.keep', async () => {
    using home = createHome();
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    const old = prompt(1, 'One').replace(at, days(400).toISOString());
    for (const id of ['oak', 'elm']) writeFileSync(place(home, id), old);
    writeFileSync(place(home, 'ash'), prompt(1, 'One').replace(at, days(300).toISOString()));
    await home.here(['import', '--all']);
    for (const id of ['oak', 'ash']) utimesSync(home.journal(`claude-${id}`), days(400), days(400));
    const pruned = async (args: readonly string[], keep?: string) => {
      const env = keep === undefined ? {} : { OLLM_HUB__KEEP: keep };
      const { stdout } = await home.here(['prune', ...args, '--yes', '--json'], { env });
      return (JSON.parse(stdout) as { removed: { id: string }[] }).removed.map(({ id }) => id);
    };
    expect(await pruned(['--older-than', '30d'])).toEqual([]);
    expect(await pruned(['--older-than', '30d'], 'all')).toEqual([]);
    expect(await pruned(['--older-than', '30d'], '500d')).toEqual([]);
    expect(await pruned(['--keep', '50', '--purge'], '365d')).toEqual([]);
    expect(await pruned(['--keep', '50'], '365d')).toEqual(['claude-oak']);
    expect((await home.here(['import', '--all'])).stderr).toContain('1 session that you deleted stayed out');
    expect(await home.here(['restore', 'claude-oak'])).toMatchObject({ exitCode: 0 });
    utimesSync(home.journal('claude-oak'), days(400), days(400));
    const made = await home.here(['ask', 'Hi', '--provider', 'offline'], { env: { OLLM_HUB__KEEP: '365d' } });
    expect(made.exitCode).toBe(0);
    expect(
      readdirSync(home.sessions)
        .filter((name) => /^claude-\w+\.jsonl$/.test(name))
        .sort(),
    ).toEqual(['claude-ash.jsonl', 'claude-elm.jsonl']);
    expect((await home.here(['restore', 'claude-oak'])).exitCode).toBe(0);
    expect((await home.here(['ask', 'Hi'], { env: { OLLM_HUB__KEEP: 'soon' } })).exitCode).not.toBe(0);
  });

  it('stores nothing readable of the source in an encrypted home', async () => {
    using home = createHome();
    const key = join(home.path, 'key');
    writeFileSync(key, 'a key file that is for the tests', { mode: 0o600 });
    const env = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: key };
    const path = place(home, 'elm');
    writeFileSync(path, prompt(1, 'A secret garden'));
    expect(await home.here(['import', '--all'], { env })).toMatchObject({ exitCode: 0 });
    appendFileSync(path, prompt(2, 'Another'));
    expect(await home.here(['import', '--all'], { env })).toMatchObject({ exitCode: 0 });
    rmSync(path);
    expect((await home.here(['import', '--all'], { env })).exitCode).toBe(0);
    const [blob = ''] = readdirSync(join(home.sessions, 'blobs'));
    expect(readFileSync(join(home.sessions, 'blobs', blob)).toString('latin1')).toMatch(/^ollm-sealed-blob 1 /);
    expect((await home.here(['export', 'claude-elm'], { env })).stdout).toContain('A secret garden');
    expect(readFileSync(home.journal('claude-elm'), 'latin1')).not.toContain('garden');
  });
});
