// Compaction as a user has it: by command, by itself, shown, undone, and in replay before and after.
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { startModel } from './slow-model.ts';

const long = (turn: number) => `find checksum ${turn} ${'some more words to fill the window '.repeat(60)}`;

const COMPACTING = { OLLM_SERVICES__COMPRESSION__PRESERVE_RECENT: '100' };

async function talk(home: Home, lines: readonly string[]) {
  const args = ['repl', '--provider', 'offline', '--name', 'talk', '--quiet'];
  return home.here(args, { input: lines.map((line) => `${line}\n`).join(''), env: COMPACTING });
}

async function view(home: Home, at: number) {
  const { stdout } = await home.here(['replay', 'talk', '--state', 'view', '--at', String(at)]);
  return JSON.parse(stdout) as { summary?: string; items: { seq: number; role: string }[] };
}

async function events(home: Home, type: string) {
  const { stdout } = await home.here(['tail', 'talk', '-n', 'all', '--json', '--type', type]);
  return parseLines(stdout) as { seq: number; data: Record<string, unknown> }[];
}

describe('/compact', () => {
  it('summarizes, reports it, is visible in replay before and after, and is undone by /undo', async () => {
    using home = createHome();
    const first = await talk(home, [
      long(1),
      'Please never use tabs in src/main.ts',
      long(2),
      '/context',
      '/compact',
      '/compact --summary',
    ]);
    expect(first.stderr).toBe('');
    expect(first.stdout).toMatch(
      /Compaction: only by \/compact\. Now the \d+ oldest messages, .* would become a summary/,
    );
    expect(first.stdout).toMatch(/\d+ older messages were summarized: \d+ tokens became \d+\./);
    expect(first.stdout).toContain('### Preferences');
    expect(first.stdout).toContain('Please never use tabs in src/main.ts');

    const [completed] = await events(home, 'compaction.completed');
    const seq = completed?.seq ?? 0;
    const before = await view(home, seq - 1);
    const after = await view(home, seq);
    expect(before.summary).toBeUndefined();
    expect(after.summary).toContain('### Decisions');
    expect(after.items.length).toBeLessThan(before.items.length);
    expect(before.items.slice(-after.items.length)).toEqual(after.items);

    const second = await talk(home, ['/compact --undo', '/compact --summary', '/compact --undo']);
    expect(second.stdout).toContain(`The compaction at event ${seq} is taken back`);
    expect(second.stdout).toContain('There is no summary now');
    expect(second.stderr).toContain('There is no compaction to take back.');
    const [undone] = await events(home, 'compaction.undone');
    expect((await view(home, undone?.seq ?? 0)).items).toEqual(before.items);
  });

  it('explains itself after wrong arguments, and says if nothing can be removed', async () => {
    using home = createHome();
    const { stdout, stderr, exitCode } = await talk(home, ['/compact', '/compact everything']);
    expect(stdout).toContain('Nothing to compact');
    expect(stderr).toContain('Usage: /compact [--summary | --undo]');
    expect(exitCode).toBe(2);
  });
});

describe('a full window', () => {
  it('is compacted automatically before a request, with a notice, and the session continues', async () => {
    using home = createHome();
    await using model = await startModel({ text: 'I have read it.', ends: true });
    const env = {
      OLLAMA_HOST: model.url,
      OLLM_PROVIDERS__OLLAMA__CONTEXT_LENGTH: '2000',
      // Telling the model of them would take most of so small a window.
      OLLM_TOOLS__ENABLED: 'false',
    };
    const args = ['repl', '--provider', 'ollama', '--name', 'talk'];
    const input = [1, 2, 3, 4, 5, 6].map((turn) => `${long(turn)}\n`).join('');
    const { stdout, stderr, exitCode } = await home.here(args, { input, env });
    expect(exitCode).toBe(0);
    expect(stdout + stderr).toMatch(/The window is \d+% full: older messages are being summarized\./);
    expect(stdout + stderr).toMatch(/older messages were summarized: \d+ tokens became \d+\./);
    const [completed] = await events(home, 'compaction.completed');
    expect(completed?.data).toMatchObject({ strategy: 'hybrid', by: 'auto' });
    // The model wrote no sections: they were filled in.
    expect(completed?.data.summary).toMatch(/^I have read it\.[\s\S]+### Open work/);
    expect((await events(home, 'turn.ended')).map(({ data }) => data.status)).toEqual(Array(6).fill('completed'));
    expect((await home.here(['verify', 'talk'])).exitCode).toBe(0);
  });
});
