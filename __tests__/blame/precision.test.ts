// Real sessions, and a repository with the files that they left: the calls that blame names are compared with the texts
// that Claude Code stored about each edit, and with lines that were decided by hand.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blameFile } from '../../lib/app/blame/blame-file.ts';
import { createApp } from '../../lib/app/compose.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { CHECKED_PROJECTS } from '../support/checked-lines.ts';
import { areSessionsAtHand, withArchive } from '../support/sessions-at-hand.ts';
import { createTree } from '../support/tree.ts';
import { buildProject, directoriesIn } from '../support/written-lines.ts';

const WHOLE = { isWhole: true };

/** Lines of each class: all, and those named as the call that wrote them. */
type Counts = Record<'certain' | 'likely' | 'unknown', { all: number; right: number }>;

const counts = (): Counts => ({
  certain: { all: 0, right: 0 },
  likely: { all: 0, right: 0 },
  unknown: { all: 0, right: 0 },
});

(areSessionsAtHand ? it : it.skip)(
  'at least 97 % of the lines called certain belong to the call, and all lines that were decided by hand',
  async () => {
    const found = { developed: counts(), heldOut: counts() };
    const checked = { developed: counts(), heldOut: counts() };
    await withArchive(async (archived) => {
      const paths = [
        ...filesAtHand(),
        ...archived.flatMap(({ source }) => (source.agent === 'claude' ? [source.path] : [])),
      ];
      const sessions = paths.map((path) => ({ path, directories: directoriesIn(readFileSync(path, 'utf8')) }));
      for (const project of CHECKED_PROJECTS) {
        const half = project.isHeldOut ? 'heldOut' : 'developed';
        const directories = [...new Set(sessions.flatMap((session) => session.directories))]
          .filter((directory) => project.directory.test(directory))
          .toSorted((a, b) => b.length - a.length);
        const files = sessions.filter((session) => session.directories.some((one) => directories.includes(one)));
        using tree = createTree();
        const root = join(tree.root, 'repository');
        mkdirSync(root);
        const written = buildProject({ directories, files: files.map(({ path }) => path) }, { home: tree.root, root });
        const env = { HOME: tree.root, OLLM_HOME: join(tree.root, 'ollm'), PATH: process.env.PATH };
        const app = await createApp({ env, cwd: root, command: 'test' });
        await syncSessions(app, {});
        for (const { name, lines } of written) {
          const byHand = new Map(project.lines[name]?.split(' ').map((each) => each.split(':') as [string, string]));
          const blamed = await blameFile(app, { file: join(root, name) });
          for (const { line, class: kind, call } of blamed.lines) {
            const { author, text } = lines[line - 1]!;
            // A difference of two texts may take one blank or bracket line for the other.
            if (/\w.*\w.*\w.*\w/.test(text)) count(found[half][kind], call?.callId === author);
            const decided = byHand.get(String(line));
            if (decided !== undefined) count(checked[half][kind], (call?.callId ?? '-').endsWith(decided));
          }
        }
        await app.close();
      }
    }, WHOLE);
    console.log(JSON.stringify({ found, checked }));
    for (const { certain } of Object.values(found)) expect(certain.right / certain.all).toBeGreaterThanOrEqual(0.97);
    for (const { certain } of Object.values(checked)) {
      expect(certain.all).toBeGreaterThanOrEqual(20);
      expect(certain.right).toBe(certain.all);
    }
  },
);

function count(tally: { all: number; right: number }, isRight: boolean): void {
  tally.all += 1;
  tally.right += Number(isRight);
}

function filesAtHand(): string[] {
  const root = new URL('../../../shared/data/agents/claude/', import.meta.url).pathname;
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(root, name));
}
