import { startModel } from '../../repl/slow-model.ts';
import { createHome, parseLines } from '../../support/cli.ts';
import { event } from '../../support/event-list.ts';

const call = (callId: string, name: string) => [event.asked(callId, name), event.finished(callId, 'same')];
const user = { ...event.said('user', 'go'), turn: 1 };

describe('ollm loop', () => {
  it('shows where the guard would have fired and by which rule, and compares thresholds', async () => {
    using home = createHome();
    await home.append('stuck', [user, ...call('a', 'ls'), ...call('b', 'ls'), ...call('c', 'ls')]);
    await home.append('fine', [user, ...call('a', 'ls'), ...call('b', 'pwd')]);
    const one = await home.here(['loop', 'stuck']);
    expect(one).toMatchObject({ exitCode: 0, stderr: '' });
    expect(one.stdout).toContain('stuck: 3 calls, 0 answers');
    expect(one.stdout).toMatch(/threshold 3: 1 time\n {4}event 7 {2}repeated-tool {2}The tool ls was called 3 times/);

    const all = await home.here(['loop', '--all', '--threshold', '2,3,5']);
    expect(all.stdout).not.toContain('fine');
    expect(all.stdout).toContain('threshold 2: 1 firing in 2 sessions');
    expect(all.stdout).toContain('threshold 5: 0 firings in 2 sessions');

    const json = parseLines((await home.here(['loop', 'stuck', '--json', '--threshold', '3'])).stdout);
    expect(json).toMatchObject([{ id: 'stuck', calls: 3, thresholds: [{ threshold: 3, firings: [{ seq: 7 }] }] }]);
  });

  it('counts turns of many requests separately, because the guard asks the user there', async () => {
    using home = createHome();
    const calls = Array.from({ length: 120 }, (_, index) => call(`c${index}`, `tool-${index}`)).flat();
    await home.append('long', [user, ...calls]);
    expect((await home.here(['loop', 'long'])).stdout).toContain('threshold 3: never; asks 2 times at the turn limit');
    const all = await home.here(['loop', '--all']);
    expect(all.stdout).toContain('threshold 3: 0 firings in 1 session; asks 2 times at the turn limit');
    const [json] = parseLines((await home.here(['loop', 'long', '--json'])).stdout);
    expect(json).toMatchObject({ thresholds: [{ firings: [{ pattern: 'turn-limit' }, { pattern: 'turn-limit' }] }] });
  });

  it.each([[['loop']], [['loop', 'x', '--all']], [['loop', '--all', '--threshold', 'many']]])(
    'refuses %j',
    async (args) => {
      using home = createHome();
      expect(await home.here(args)).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );
});

describe('the loop guard in the REPL', () => {
  const chant = 'I will now read the file and fix it. '.repeat(60);
  const repl = ['repl', '--provider', 'ollama', '--name', 'talk', '--quiet'];

  it('stops an answer that repeats itself, keeps the part that arrived, and exits with 6', async () => {
    using home = createHome();
    await using model = await startModel({ text: chant, ends: false });
    const { stdout, stderr, exitCode } = await home.here(repl, {
      input: 'hello\n',
      env: { OLLAMA_HOST: model.url },
    });
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(/Within one answer the same words came \d+ times/);
    expect(stderr).toContain('/loop off');
    expect(stdout.length).toBeLessThan(chant.length);
    const events = parseLines((await home.here(['tail', 'talk', '--json', '-n', 'all'])).stdout);
    expect(events.find(({ type }) => type === 'loop.detected')).toMatchObject({ data: { action: 'stop' } });
    expect(events.find(({ type }) => type === 'turn.ended')).toMatchObject({ data: { status: 'loop' } });
  });

  it('does not stop the answer when it is switched off, but reports the loop', async () => {
    using home = createHome();
    await using model = await startModel({ text: chant, ends: true });
    const { stdout, exitCode } = await home.here(repl, {
      input: '/loop off\nhello\n/loop\n/loop on\n',
      env: { OLLAMA_HOST: model.url },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(chant.trim().slice(-200));
    expect(stdout).toMatch(/guard\s+off/);
    expect(stdout).toMatch(/found\s+Within one answer/);
    expect(stdout).toContain('The loop guard is on.');
  });
});
