import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WHAT_OFFLINE_IS } from '../../lib/providers/choose.ts';
import { openPipedRepl, type PipedRepl } from './piped-repl.ts';

const MARK = 'find marker';

async function run(repl: PipedRepl, ...lines: string[]): Promise<number> {
  repl.enter(...lines);
  repl.end();
  return await repl.exitCode;
}
const typesIn = (repl: PipedRepl, name: string) =>
  readFileSync(join(repl.home, 'session-data', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });

describe('slash commands in use', () => {
  it('add a text to the context, show it and remove it', async () => {
    using repl = await openPipedRepl();
    expect(
      await run(repl, '/context add style Answer briefly.', '/context', '/context rm style', '/context list'),
    ).toBe(0);
    expect(repl.shown.output).toContain('Added style.');
    expect(repl.shown.output).toMatch(/context entries +~\d/);
    expect(repl.shown.output).toContain('Answer briefly.');
    expect(repl.shown.output).toContain('No context entries.');
    expect(typesIn(repl, 'talk').map(({ type }) => type)).toEqual(
      expect.arrayContaining(['context.added', 'context.removed']),
    );
  });

  it('draw the contents of the window, and keep an entry for a time and in its place', async () => {
    using repl = await openPipedRepl();
    const add = '/context add urgent Read the docs first. --priority 90 --ttl 10m';
    expect(await run(repl, '/context add style Answer briefly.', add, '/context')).toBe(0);
    expect(repl.shown.output).toContain('Added urgent. It is sent from the next turn on for 10 min 0 s.');
    expect(repl.shown.output).toMatch(/tool definitions +~[\d.]+k?/);
    const list = repl.shown.output.slice(repl.shown.output.indexOf('the most important first'));
    expect(list).toMatch(/urgent .*priority 90, until [\s\S]*style/);
    expect(typesIn(repl, 'talk').filter(({ type }) => type === 'context.added')).toMatchObject([
      { data: { key: 'style', priority: 50 } },
      { data: { key: 'urgent', priority: 90, expiresAt: expect.any(String) } },
    ]);
  });

  it('show each setting with its layer, and change it until the program ends', async () => {
    using repl = await openPipedRepl({ settings: { OLLM_MAX_OUTPUT_TOKENS: '500' } });
    const lines = [
      '/config set services.compression.threshold 0.5',
      '/config',
      '/config get maxOutputTokens',
      '/config get services.session.maxSessions',
      '/config set services.compression.threshold default',
      '/config get services.compression.threshold',
      '/config get services.compression.treshold',
      '/config set services.compression.threshold 7',
      '/config set services.session.dataDir /elsewhere',
      '/config what',
    ];
    expect(await run(repl, ...lines)).toBe(2);
    const { output, errors } = repl.shown;
    expect(output).toContain('services.compression.threshold was 0.8 and is 0.5, until you leave.');
    expect(output).toMatch(/services\.compression\.threshold\n? +0\.5 \(\/config\)/);
    expect(output).toContain('500 (OLLM_MAX_OUTPUT_TOKENS)');
    expect(output).toContain('100 (default)');
    expect(output).toContain('0.8 (default)');
    expect(errors).toContain('Did you mean services.compression.threshold?');
    expect(errors).toContain('must be at most 1');
    expect(errors).toContain('services.session.dataDir cannot be changed while a conversation is open.');
    expect(errors).toContain('That is not how /config is used.');
    const changes = typesIn(repl, 'talk').filter(({ type }) => type === 'setting.changed');
    expect(changes.map(({ data }) => data.value)).toEqual([0.5, null]);
  });

  it('switch the loop guard, and record the switch', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/loop off', '/loop', '/loop on')).toBe(0);
    expect(repl.shown.output).toMatch(/off until you leave[\s\S]*guard +off[\s\S]*The loop guard is on\./);
    const changes = typesIn(repl, 'talk').filter(({ type }) => type === 'setting.changed');
    expect(changes.map(({ data }) => [data.key, data.value])).toEqual([
      ['services.loopDetection.enabled', false],
      ['services.loopDetection.enabled', true],
    ]);
  });

  it('switch the loop guard in two places, of which the later one wins', async () => {
    using repl = await openPipedRepl();
    const key = 'services.loopDetection.enabled';
    const lines = ['/loop off', `/config get ${key}`, `/config set ${key} true`, '/loop', '/loop off', '/loop'];
    expect(await run(repl, ...lines)).toBe(0);
    expect(repl.shown.output).toMatch(
      /false \(\/config\)[\s\S]*is true, until you leave[\s\S]*guard +on[\s\S]*guard +off/,
    );
  });

  it('draw the window that the settings leave', async () => {
    using repl = await openPipedRepl({ settings: { OLLM_SERVICES__BUDGET__MAX_TOTAL: '2000' } });
    expect(await run(repl, '/context')).toBe(0);
    expect(repl.shown.output).toContain('tokens of 2k');
  });

  it('list the tools, describe one without a change, and switch it only with on and off', async () => {
    using repl = await openPipedRepl();
    expect(
      await run(
        repl,
        '/tools',
        '/tool bash',
        '/tool bash off',
        '/tools',
        '/tool bash',
        '/tool bash on',
        '/tool nothing',
        '/tools revoke 7',
      ),
    ).toBe(2);
    expect(repl.shown.output).toMatch(
      /on +bash[\s\S]*bash is on\.[\s\S]*bash is off\.[\s\S]*off +bash[\s\S]*bash is off\.[\s\S]*bash is on\./,
    );
    expect(repl.shown.errors).toContain('There is no tool nothing.');
    expect(repl.shown.errors).toContain('There is no grant or denial 7.');
    const changes = typesIn(repl, 'talk').filter(({ type }) => type === 'tools.changed');
    expect(changes.map(({ data }) => data)).toEqual([
      { name: 'bash', enabled: false },
      { name: 'bash', enabled: true },
    ]);
  });

  it('show the whole output of a tool, and report a missing one', async () => {
    using repl = await openPipedRepl();
    writeFileSync(join(repl.home, 'own.txt'), 'in the directory that is kept from tools');
    expect(await run(repl, '/output', 'file_read own.txt', '/output', '/output 2', '/output x', '/reasoning')).toBe(2);
    expect(repl.shown.output.match(/no tool gets to see/g)).toHaveLength(2);
    expect(repl.shown.errors).toContain('That was file_read, denied.');
    expect(repl.shown.errors).toContain('No tool has run in this session.');
    expect(repl.shown.errors).toContain('No output has that number.');
    expect(repl.shown.errors).toContain('Which one, counted from the end?');
    expect(repl.shown.output).toContain('without any thinking that could be shown');
  });

  it('need a terminal for an editor', async () => {
    using repl = await openPipedRepl({ settings: { EDITOR: 'true' } });
    expect(await run(repl, '/editor')).toBe(2);
    expect(repl.shown.errors).toContain('/editor needs a terminal.');
  });

  it('keep secrets out of a context entry', async () => {
    using repl = await openPipedRepl();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await run(repl, `/context add token use ${secret}`);
    expect(JSON.stringify(typesIn(repl, 'talk'))).not.toContain(secret);
  });

  it('show their usage after wrong arguments', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/context add onlykey', '/load', '/export talk.exe', '/export --format md')).toBe(2);
    expect(repl.shown.errors).toContain('Usage: /context [add KEY TEXT [--priority N] [--ttl 10m] | rm KEY | list]');
    expect(repl.shown.errors).toContain('Which session?');
    expect(repl.shown.errors).toContain('There is no export to .exe.');
    expect(repl.shown.errors).toContain('It takes no options');
  });

  it('do nothing if an argument follows that they do not take', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, MARK, '/save --force', '/save talk.md', '/undo 2', '/fork --at 3')).toBe(2);
    expect(repl.shown.errors).toContain('/save takes no arguments. Nothing was done.\nUsage: /save');
    expect(repl.shown.errors).toContain('/undo takes no arguments');
    // A command whose usage is its own example shows it once.
    expect(String(repl.shown.errors)).not.toMatch(/Usage: (\/\w+), for example \1(?!\S)/);
    expect(repl.shown.errors).toContain('Usage: /fork [NAME]');
    expect(repl.shown.output).not.toMatch(/up to date|Undone|Forked/);
  });

  it('undo and ask again, and say if there is nothing to undo', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/undo', MARK, '/retry', '/undo', '/history', '/undo')).toBe(2);
    expect(repl.shown.errors).toContain('/undo needs a turn');
    expect(repl.shown.output).toContain(`Undone: ${MARK}`);
    expect(repl.shown.output).toContain('Nothing has been said yet.');
    const events = typesIn(repl, 'talk');
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'branch.moved').map(({ data }) => data.reason)).toEqual([
      'retry',
      'undo',
    ]);
  });

  it('show the last messages, and those that contain given words', async () => {
    using repl = await openPipedRepl();
    await run(repl, MARK, 'find other', '/history', '/history MARKER');
    expect(repl.shown.output).toMatch(/\d+ user: find other/);
    expect(repl.shown.output).toMatch(/\d+ user: find marker/);
  });

  it('show one message whole by its number in the list', async () => {
    using repl = await openPipedRepl();
    const long = `find ${'word '.repeat(60)}end`;
    await run(repl, long, '/history');
    const [, number] = /(\d+) user: find word/.exec(repl.shown.output) ?? [];
    expect(repl.shown.output).not.toContain(long);
    using again = await openPipedRepl();
    expect(await run(again, long, `/history ${number}`, '/history 1', '/history 99999')).toBe(2);
    expect(again.shown.output).toContain(`> ${long}`);
    expect(again.shown.errors).toContain('1 is not the number of a message.');
    expect(again.shown.errors).toContain('99999 is not the number of a message.');
  });

  it('fork, go back, and refuse to load a session that does not exist', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, MARK, '/fork branch', '/history', '/load talk', '/load nowhere')).toBe(3);
    expect(repl.shown.output).toContain('Forked from talk; /load talk goes back.');
    expect(repl.shown.errors).toContain('Session branch, new.');
    expect(repl.shown.errors).toContain('Session talk, resumed.');
    expect(typesIn(repl, 'branch').at(-1)).toMatchObject({ type: 'session.closed' });
    expect(typesIn(repl, 'talk').at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'eof' } });
  });

  it('export in the format of the extension', async () => {
    using repl = await openPipedRepl();
    await run(repl, MARK, '/export', '/export "out.html"', '/export out.jsonl');
    expect(readFileSync(join(repl.home, 'talk.md'), 'utf8')).toContain(MARK);
    expect(readFileSync(join(repl.home, 'out.html'), 'utf8')).toContain('<html');
    expect(readFileSync(join(repl.home, 'out.jsonl'), 'utf8')).toContain('"session.created"');
  });

  it('export into a file named after the title, and say that searches find it', async () => {
    using repl = await openPipedRepl();
    await run(repl, MARK, '/title Wo ist der Schlüssel?', '/export');
    const [file] = readdirSync(repl.home).filter((name) => name.endsWith('.md'));
    expect(file).toMatch(/^wo-ist-der-schlussel.*\.md$/);
    expect(readFileSync(join(repl.home, file!), 'utf8')).toContain(MARK);
    expect(repl.shown.errors).toContain('A search of this project finds it there.');
  });

  it('replace a file only after a yes, which a pipe cannot give', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/export out.md', MARK, '/export out.md')).toBe(2);
    expect(repl.shown.errors).toContain('out.md exists and was not replaced.');
    expect(readFileSync(join(repl.home, 'out.md'), 'utf8')).not.toContain(MARK);
  });

  it('count undone turns as used, and name them', async () => {
    using repl = await openPipedRepl();
    await run(repl, MARK, 'more', 'still more', '/undo', '/undo', '/usage', '/history');
    expect(repl.shown.output).toMatch(/turns +1, with 2 messages; 2 turns more undone/);
    expect(repl.shown.output).toMatch(/requests +3 answered, in undone turns too/);
    expect(repl.shown.output).toMatch(/cost +none: the built-in search asks no provider/);
    expect(repl.shown.output.match(/ user: /g)).toHaveLength(1);
  });

  it('keep an ephemeral session on request', async () => {
    using repl = await openPipedRepl({ open: { kind: 'new', name: 'talk', provider: 'offline', ephemeral: true } });
    const file = join(repl.home, 'session-data', 'talk.jsonl');
    repl.enter(MARK, '/usage');
    await repl.until('cost');
    expect(repl.shown.output).toMatch(/turns +1, with 2 messages/);
    expect(repl.shown.output).not.toContain('from a cache');
    expect(existsSync(file)).toBe(false);
    expect(await run(repl, '/save', '/title kept', '/export kept.md')).toBe(0);
    expect(repl.shown.output).toContain('The session is kept from now on, as talk');
    expect(readFileSync(file, 'utf8')).toContain(MARK);
    expect(readFileSync(join(repl.home, 'kept.md'), 'utf8')).toContain(MARK);
  });

  it('switch from an ephemeral session to a stored one, whether a flag or a setting made it ephemeral', async () => {
    for (const settings of [undefined, { OLLM_SERVICES__SESSION__MODE: 'ephemeral' }]) {
      using kept = await openPipedRepl();
      expect(await run(kept, MARK)).toBe(0);
      using repl = await openPipedRepl({
        open: { kind: 'new', provider: 'offline', ephemeral: true },
        home: kept.home,
        settings,
      });
      expect(await run(repl, 'hello', '/load talk', '/history', '/load talk')).toBe(0);
      expect(repl.shown.errors).toContain('was kept in memory only, and is gone.');
      expect(repl.shown.errors).toContain('Session talk, resumed.');
      expect(repl.shown.output).toContain(MARK);
      expect(repl.shown.output).toContain('That is this session.');
    }
  });

  it('fork a formerly ephemeral session into one that is stored too', async () => {
    using repl = await openPipedRepl({
      open: { kind: 'new', name: 'talk', provider: 'offline', ephemeral: true },
      settings: { OLLM_SERVICES__SESSION__MODE: 'ephemeral' },
    });
    expect(await run(repl, MARK, '/save', '/fork copy', '/load talk')).toBe(0);
    expect(repl.shown.errors).toContain(`Provider: ${WHAT_OFFLINE_IS}, as this session was left.`);
    expect(repl.shown.errors).toContain('Session copy, new.');
    expect(repl.shown.errors).toContain('Session talk, resumed.');
    expect(readFileSync(join(repl.home, 'session-data', 'copy.jsonl'), 'utf8')).toContain(MARK);
  });

  it('export an ephemeral session without storing it', async () => {
    using repl = await openPipedRepl({ open: { kind: 'new', name: 'talk', provider: 'offline', ephemeral: true } });
    expect(await run(repl, MARK, '/export out.md', '/fork x')).toBe(2);
    expect(readFileSync(join(repl.home, 'out.md'), 'utf8')).toContain(MARK);
    expect(repl.shown.errors).toContain('An ephemeral session cannot be forked.');
  });

  it('switch provider and model together, or neither', async () => {
    using repl = await openPipedRepl();
    await run(repl, '/provider offline search', '/provider offline nothing');
    expect(repl.shown.output).toContain('Model: search.');
    expect(repl.shown.errors).toContain('has no model "nothing"');
  });

  it('name models and providers, and refuse unknown ones', async () => {
    using repl = await openPipedRepl();
    expect(await run(repl, '/model', '/provider', '/provider nobody')).toBe(2);
    expect(repl.shown.output).toMatch(/^\* /m);
    expect(repl.shown.output).toContain('Providers: ');
    expect(repl.shown.errors).toContain('nobody');
  });

  it('show names of variables and never a value', async () => {
    using repl = await openPipedRepl();
    await run(repl, '/env');
    expect(repl.shown.output).toContain('HOME');
    expect(repl.shown.output).not.toContain(repl.home);
  });
});
