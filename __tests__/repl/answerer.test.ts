// Who answers, and how much it thinks: /model, /provider, /thinking, and the flag.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { THINKING_MODES, type ThinkingMode } from '../../lib/providers/thinking.ts';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { listModelsHere } from '../support/listing-server.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { openPipedRepl } from './piped-repl.ts';

const CTRL_D = '\x04';
const ESCAPE = '\x1b';
const PROMPT = /^>( |$)/;
const shows = (wanted: string) => (lines: readonly string[]) => lines.some((line) => line.includes(wanted));

function open(home: Home, env: Record<string, string> = {}): Terminal {
  const variables = { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env };
  return openTerminalHere(['--new', '--name', 'talk'], { cwd: home.path, env: variables });
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.waitFor(PROMPT);
  terminal.type(CTRL_D);
  expect((await terminal.exit).code).toBe(0);
}

const configOf = (home: Home) => readFileSync(join(home.path, 'config.yaml'), 'utf8');

describe('/model and /provider at a terminal', () => {
  it('let the user choose, and --default stores the choice in the file without changing the rest', async () => {
    await using server = await listModelsHere(['small', 'large']);
    using home = createHome();
    const config = `# mine\nprovider: box # at home\nmodel: small\nproviders:\n  compatible:\n    box:\n      baseUrl: ${server.address}\n`;
    writeFileSync(join(home.path, 'config.yaml'), config, { mode: 0o600 });
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    terminal.type('/model\r');
    await terminal.waitUntil(shows('Which model of box? 2'), 'the models');
    terminal.type('lar\r');
    await terminal.waitUntil(shows('From now on large answers.'), 'the model');
    expect(configOf(home)).toBe(config);

    terminal.type('/model --default\r');
    await terminal.waitUntil(shows('New sessions begin with it'), 'that it is kept');
    expect(configOf(home)).toBe(config.replace('model: small', 'model: large'));

    terminal.type('/provider\r');
    await terminal.waitUntil(shows('Which provider?'), 'the providers');
    terminal.type('offl\r');
    await terminal.waitUntil(shows('Model: search.'), 'the search');
    terminal.type('/provider\r');
    await terminal.waitUntil(shows('Which provider?'), 'the providers');
    terminal.type('box\r');
    await terminal.waitUntil(shows('Which model of box? 2'), 'its models too');
    terminal.type(ESCAPE);
    await leave(terminal);
    const models = parseLines(readFileSync(home.journal('talk'), 'utf8')).filter(
      ({ type }) => type === 'model.changed',
    );
    expect(models.map(({ data }) => (data as { model: string }).model)).toEqual(['large', 'search']);
  });
});

describe('/model and /provider at a pipe', () => {
  it('list the choices, and --default stores the named one', async () => {
    await using server = await listModelsHere(['small', 'large']);
    const settings = { OLLM_PROVIDERS__COMPATIBLE: JSON.stringify({ box: { baseUrl: server.address } }) };
    using repl = await openPipedRepl({ settings });
    repl.enter('/provider box large --default', '/model');
    await repl.until('* large');
    repl.end();
    await repl.exitCode;
    expect(readFileSync(join(repl.home, 'config.yaml'), 'utf8')).toBe('provider: box\nmodel: large\n');
  });
});

describe('the thinking effort of a model', () => {
  const withModes = (modes: readonly ThinkingMode[]) => {
    const provider = { ...scriptedProvider(() => says('Yes.')), thinkingModes: async () => [...modes] };
    return { provider, parts: { providers: { scripted: async () => provider } } };
  };

  it.each(THINKING_MODES)('is set to %s by /thinking, stored, and sent to the model', async (mode) => {
    const { provider, parts } = withModes(THINKING_MODES);
    using repl = await openPipedRepl({ open: { kind: 'new', name: 'talk', provider: 'scripted' }, parts });
    repl.enter(`/thinking ${mode}`, '/thinking', 'Question');
    repl.end();
    expect(await repl.exitCode).toBe(0);
    expect(repl.shown.output).toContain(`m-1 thinks ${mode}; it has off, low, medium, high, max.`);
    expect(provider.requests.at(0)).toMatchObject({ thinking: mode });
    const events = parseLines(readFileSync(join(repl.home, 'session-data', 'talk.jsonl'), 'utf8'));
    expect(events.filter(({ type }) => type === 'model.changed')).toMatchObject([{ data: { thinking: mode } }]);
  });

  it('is refused with the supported levels if the model lacks the level', async () => {
    const { parts } = withModes(['off', 'high']);
    using repl = await openPipedRepl({ open: { kind: 'new', name: 'talk', provider: 'scripted' }, parts });
    repl.enter('/thinking low', '/thinking much');
    repl.end();
    await repl.exitCode;
    expect(repl.shown.errors).toContain('How much m-1 thinks cannot be set to low.');
    expect(repl.shown.errors).toContain('It has: off, high.');
    expect(repl.shown.errors).toContain('much is not a mode of thinking.');
  });

  it('can be set when a session is opened, new or continued', async () => {
    const { provider, parts } = withModes(['off', 'high', 'max']);
    const opens = [
      { kind: 'new', name: 'talk', provider: 'scripted', thinking: 'high' },
      { kind: 'resume', reference: 'talk', thinking: 'max' },
    ] as const;
    using first = await openPipedRepl({ open: opens[0], parts });
    first.enter('One');
    first.end();
    await first.exitCode;
    using second = await openPipedRepl({ open: opens[1], parts, home: first.home });
    second.enter('Two');
    second.end();
    await second.exitCode;
    expect(provider.requests.map(({ thinking }) => thinking)).toEqual(['high', 'max']);
  });

  it('is refused on the command line with the supported levels, and no session is created', async () => {
    using home = createHome();
    const args = ['ask', 'Why?', '--provider', 'offline', '--thinking', 'high', '--name', 'talk'];
    expect(await home.here(args)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('this model has no such modes'),
    });
    expect(() => readFileSync(home.journal('talk'))).toThrow();
    expect(await home.here(['ask', 'Why?', '--thinking', 'hard'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('off, low, medium, high, max'),
    });
  });
});
