// The log that a run of the program leaves: empty if all went well, and after a failure the error, its place and a
// hint. `--log-level debug` reports each turn and call as well.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, parseLines } from '../../support/cli.ts';
import { createTree } from '../../support/tree.ts';

function logOf(home: Home): Record<string, unknown>[] {
  const file = join(home.path, 'ollm.log');
  return existsSync(file) ? parseLines(readFileSync(file, 'utf8')) : [];
}

describe('the log of the program', () => {
  it('stays empty after a run without failures', async () => {
    using home = createHome();
    expect(await home.run(['ask', '--provider', 'offline', '--name', 'notes', 'Hello'])).toMatchObject({ exitCode: 0 });
    expect(logOf(home)).toEqual([]);
  });

  it('reports each call and turn at the level debug', async () => {
    using home = createHome();
    using project = createTree({ 'notes.md': 'one\n' });
    const ask = ['ask', '--provider', 'offline', '--name', 'notes', 'file_read notes.md'];
    expect(await home.run(['--log-level', 'debug', ...ask], { cwd: project.root })).toMatchObject({ exitCode: 0 });
    expect(logOf(home)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          level: 'debug',
          service: 'tools',
          operation: 'file_read',
          context: expect.objectContaining({ sessionId: 'notes', status: 'ok' }),
        }),
        expect.objectContaining({
          level: 'debug',
          service: 'turn',
          operation: 'end',
          context: expect.objectContaining({ sessionId: 'notes', turn: 1, status: 'completed', provider: 'offline' }),
        }),
      ]),
    );
  });

  it('reports a failure with its code, its place and a hint', async () => {
    using home = createHome();
    const ask = ['ask', '--provider', 'ollama', '--model', 'm', '--name', 'notes', 'Hello'];
    expect(await home.run(ask)).toMatchObject({ exitCode: 8 });
    expect(await home.run(['show', 'nobody'])).toMatchObject({ exitCode: 3 });
    const failures = logOf(home).filter(({ level }) => level === 'error');
    const [turn, command] = [failures.at(0), failures.at(-1)];
    expect(turn).toMatchObject({ service: 'turn', operation: 'end', action: expect.stringContaining('Ollama') });
    expect(turn?.context).toMatchObject({ sessionId: 'notes', error: { code: expect.stringMatching(/^PROVIDER_/) } });
    expect(command).toMatchObject({ service: 'cli', operation: 'ollm show', action: expect.stringContaining('list') });
    expect(command?.context).toMatchObject({ error: { code: 'SESSION_NOT_FOUND' } });
  });
});
