// The box of hits below `/search WORDS`: it looks at sessions of other programs by itself where nothing was found.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { SearchMenu } from '../../lib/repl/search-menu.ts';
import { hubWorld } from '../hub/world.ts';
import { CLAUDE_FILE, CLAUDE_ID, claudePrompt, lines } from '../support/agent-homes.ts';

describe('the box of hits', () => {
  it('looks at the sessions of other programs before it says that nothing was found', async () => {
    const hub = hubWorld();
    try {
      const file = join(hub.home, CLAUDE_FILE);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, lines([claudePrompt('a1', 'why does the scroll jump', '2026-01-20T10:00:00.000Z')]));
      await hub.withApp(async (app) => {
        const menu = new SearchMenu(() => app);
        const shown: string[] = [];
        await new Promise<void>((resolve) => {
          menu.onMore(() => {
            shown.push(textOf(menu));
            if (shown.at(-1) !== 'looking…') resolve();
          });
          expect(textOf(menu)).toBe('');
        });
        menu.stop();
        expect(shown).toHaveLength(2);
        expect(shown[0]).toBe('looking…');
        expect(shown[1]).toContain(`claude:${CLAUDE_ID.slice(0, 4)}`);
        expect(shown[1]).toContain('why does the scroll jump\nEnter shows');
      });
    } finally {
      hub.remove();
    }
  });

  it('reads on where a sync was cut short, and shows the new hits', async () => {
    const hub = hubWorld();
    try {
      const [first] = [1, 2].map((number) => {
        const file = join(hub.home, CLAUDE_FILE.replace(CLAUDE_ID, `${number}${CLAUDE_ID.slice(1)}`));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, lines([claudePrompt(`a${number}`, `scroll ${number}`, '2026-01-20T10:00:00.000Z')]));
        return file;
      });
      await hub.withApp(async (app) => {
        await syncSessions(app, { path: first! });
        const menu = new SearchMenu(() => app);
        const last = await new Promise<string>((resolve) => {
          menu.onMore(() => {
            const shown = textOf(menu);
            if (!shown.endsWith('looking…')) resolve(shown);
          });
          textOf(menu);
        });
        menu.stop();
        expect(last).toMatch(/scroll 1\n.*scroll 2\nEnter shows|scroll 2\n.*scroll 1\nEnter shows/);
      });
    } finally {
      hub.remove();
    }
  });
});

function textOf(menu: SearchMenu): string {
  return menu
    .rowsFor('/search scroll', 100)
    .map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .join('\n');
}
