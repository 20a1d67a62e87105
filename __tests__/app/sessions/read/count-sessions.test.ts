// How many sessions there are, by what a list of them says.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { App } from '../../../../lib/app/app.ts';
import { createApp } from '../../../../lib/app/compose.ts';
import { hideSession } from '../../../../lib/app/list/foreign-notes.ts';
import { listAll } from '../../../../lib/app/list/list-all.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { countSessions } from '../../../../lib/app/sessions/read/count-sessions.ts';
import { claudePrompt, lines } from '../../../support/agent-homes.ts';

let home: string;
let app: App;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'ollm-counts-'));
  app = await createApp({ env: { HOME: home, OLLM_HOME: join(home, '.ollm') }, cwd: home, command: 'test' });
});
afterEach(async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

function write(id: string, atMs: number, project: string): void {
  const file = join(home, `.claude/projects/-p/${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines([{ ...claudePrompt('a1', 'Hello', new Date(atMs).toISOString()), cwd: project }]));
}

const HOUR_MS = 3_600_000;

it('counts of sessions equal the rows of a list with the same filters', async () => {
  const { session } = await openSession(app, { kind: 'new', name: 'walk' });
  await session.close('exit');
  const kinds = fc.record({
    hours: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }),
    options: fc.constantFrom({}, { agent: 'claude' }, { agent: 'ollm' }, { project: '/p/1' }, { withHidden: true }),
    zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
  });
  await hideSession(app, 'claude:s0', true);
  await fc.assert(
    fc.asyncProperty(kinds, async ({ hours, options, zone }) => {
      for (const [index, hour] of hours.entries()) {
        write(`s${index}`, Date.UTC(2026, 2, 1) + hour * HOUR_MS, `/p/${hour % 3}`);
      }
      const { rows } = await listAll(app, options);
      const { total, agents, projects, days } = await countSessions(app, { ...options, zone });
      expect(total).toBe(rows.length);
      const counted = <Key>(keyOf: (row: (typeof rows)[number]) => Key) =>
        new Map([...Map.groupBy(rows, keyOf)].map(([key, those]) => [key, those.length]));
      expect(new Map(agents.map((each) => [each.agent, each.sessions]))).toEqual(counted((row) => row.agent));
      expect(new Map(projects.map((each) => [each.project, each.sessions]))).toEqual(counted((row) => row.project));
      const dayOf = (time: string) => new Date(time).toLocaleDateString('sv-SE', { timeZone: zone });
      expect(new Map(days.map((each) => [each.day, each.sessions]))).toEqual(
        counted(({ lastActivity }) => dayOf(lastActivity!)),
      );
      for (const { agent, lastActivity } of agents)
        expect(lastActivity).toBe(rows.find((row) => row.agent === agent)?.lastActivity);
      expect(days.map(({ day }) => day)).toEqual(
        days
          .map(({ day }) => day)
          .sort()
          .reverse(),
      );
    }),
    { numRuns: 100 },
  );
});

it('counts name a time zone that does not exist', async () => {
  await expect(countSessions(app, { zone: 'Moon/Crater' })).rejects.toMatchObject({ code: 'USAGE' });
});
