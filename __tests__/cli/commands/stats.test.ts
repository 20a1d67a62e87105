// `ollm stats` as a person and a script see it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Dimension } from '../../../lib/app/sessions/read/sum-stats.ts';
import { statsTable } from '../../../lib/cli/stats-table.ts';
import { tableLines } from '../../../lib/display/table.ts';
import { lineWidth } from '../../../lib/display/wrap.ts';
import { agentFiles } from '../../support/agent-homes.ts';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

let home: Home;
beforeAll(() => {
  home = createHome();
  for (const [path, text] of Object.entries(agentFiles())) {
    const file = join(home.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});
afterAll(() => home[Symbol.dispose]());

describe('ollm stats', () => {
  it('prints a line with tabs for each row through a pipe', async () => {
    const { exitCode, stdout } = await home.here(['stats', '--by', 'agent,model']);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 5))).toEqual([
      ['claude', 'claude-test-1', '1', '1', '10'],
      ['claude', '', '1', '1', ''],
      ['codex', 'gpt-5.4', '1', '1', ''],
      [''],
    ]);
  });

  it('prints one document with --json, without unknown members', async () => {
    const { stdout } = await home.here(['stats', '--by', 'tool', '--json']);
    const { rows, total } = JSON.parse(stdout);
    expect(rows).toEqual([
      {
        ...{ tool: 'Bash', sessions: 1, turns: 0, failedTurns: 0, requests: 0, withoutPrice: 0 },
        ...{ calls: 1, failedCalls: 0, callsMs: 1000 },
      },
    ]);
    expect(total).toMatchObject({ calls: 1 });
  });

  it('shows the newest days, and the sum of all days in the last line', async () => {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home.path, OLLM_HOME: home.path, NO_COLOR: '1' };
    const options = { cwd: home.path, env, columns: 120 };
    await using terminal = openTerminal(process.execPath, [OLLM, 'stats', '-n', '1'], options);
    await terminal.waitFor(/Costs lack 1 request that no price is known for\./);
    const screen = terminal.lines().join('\n');
    expect(screen).toMatch(/DAY +SESSIONS +TURNS/);
    expect(screen).not.toContain('2026-01-03');
    expect(screen).toMatch(/2026-01-04 +1 +1/);
    expect(screen).toMatch(/all +3 +3 +10 +5/);
  });

  it.each([...[['day'], ['project', 'model'], ['session'], ['session', 'tool'], ['project', 'tool']]] as Dimension[][])(
    'has a table by %s %s that fits a screen of any width from 40 columns on',
    (...by) => {
      const names = { day: '2026-01-04', project: `/home/ada/${'garden'.repeat(9)}`, model: 'claude-test-'.repeat(6) };
      const figures = { requests: 1, withoutPrice: 0, calls: 8_000, failedCalls: 7, callsMs: 9e7, failedTurns: 2 };
      const much = {
        sessions: 12_345,
        turns: 54_321,
        inputTokens: 9e9,
        outputTokens: 9e9,
        cachedTokens: 1,
        cost: 1234.56,
      };
      const line = { ...figures, ...much, youWaitedMs: 9e9, waitedForYouMs: 9e9 };
      const row = { ...line, ...names, session: `claude:${'5f3c'.repeat(9)}`, tool: 'mcp__garden__water'.repeat(3) };
      for (let width = 40; width <= 130; width += 1) {
        const lines = [...tableLines(statsTable([row], [line], by), { width, header: 'dim' })];
        expect(lines.map(lineWidth).filter((columns) => columns > width)).toEqual([]);
        expect(lines).toHaveLength(3);
      }
    },
  );

  it('lists the choices after an unknown dimension, program or zone', async () => {
    for (const args of [
      ['--by', 'day,day'],
      ['--by', 'week'],
      ['--agent', 'nobody'],
      ['--zone', 'Mars/Base'],
    ]) {
      const { exitCode, stderr } = await home.here(['stats', ...args]);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/such as|There are|names such as/);
    }
  });

  it('says that an empty home has nothing to count', async () => {
    using empty = createHome();
    const { exitCode, stdout, stderr } = await empty.run(['stats']);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Nothing was counted.');
  });
});
