import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Source } from '../../../lib/agents/agent.ts';
import { aider } from '../../../lib/agents/aider/aider.ts';
import { chatOf } from '../../../lib/agents/aider/chat.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { countingFileSystem } from '../../support/counting-file-system.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { eventsOf, files, lookBelow, textsOf } from '../reading.ts';

describeAgent(aider);

const HISTORY = '.aider.chat.history.md';
const FIRST = `
# aider chat started at 2026-05-25 18:38:38

> /usr/bin/aider --yes-always  
> Aider v0.86.2  
> Model: gpt-5-nano with diff edit format  

#### How many nails?  
#### Count them.  

#### Step 1
> A quote.  
There are 200:
\`\`\`sh
# a comment
\`\`\`

> Tokens: 2.5k sent, 36 received. Cost: $0.00014 message, $0.00014 session.  
`;
const SECOND = `
# aider chat started at 2026-05-26 08:00:00

#### /add nails.txt  

#### /ask And screws?  

Twelve.
`;

describe('the history of a project', () => {
  it('has a session for each chat, with the time of this machine, and no file is created next to it', async () => {
    using tree = createTree({ [`boat/${HISTORY}`]: FIRST + SECOND });
    const cwd = join(tree.root, 'boat');
    const before = lookBelow(tree.root);
    const [first, second, ...others] = sourcesIn([cwd, join(tree.root, 'gone')]);
    expect(others).toEqual([]);
    const startedAt = new Date('2026-05-25T18:38:38').toISOString();
    expect(first).toMatchObject({ id: expect.stringMatching(/^20260525183838-[0-9a-f]{8}$/), startedAt });
    const events = await eventsOf(openForeign(aider, first!, files));
    expect(textsOf(events)).toEqual([
      'How many nails?\nCount them.',
      '#### Step 1',
      'There are 200:\n```sh\n# a comment\n```',
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      inputTokens: 2500,
      outputTokens: 36,
      totalCost: 0.00014,
      model: 'gpt-5-nano',
      source: 'estimate',
    });
    expect(textsOf(await eventsOf(openForeign(aider, second!, files)))).toEqual(['And screws?', 'Twelve.']);
    expect(readHead(aider, first!, files)).toEqual({
      id: first!.id,
      cwd,
      startedAt,
      lastActivity: startedAt,
      model: 'gpt-5-nano',
      version: '0.86.2',
      firstPrompt: 'How many nails?\nCount them.',
    });
    expect(lookBelow(tree.root)).toEqual(before);
  });

  it('is not read where no chat of it is named', () => {
    const source = { agent: 'aider', id: 'x', path: HISTORY } as const;
    expect([...chatOf(FIRST + SECOND, { ...source, facts: { chat: 1 } })][0]).toMatchObject({ kind: 'chat' });
    expect([...chatOf(FIRST + SECOND, source)]).toEqual([]);
  });

  it('that grows leaves earlier chats unchanged', async () => {
    using tree = createTree({ [`boat/${HISTORY}`]: FIRST });
    const cwd = join(tree.root, 'boat');
    const [first] = sourcesIn([cwd]);
    const reader = openForeign(aider, first!, files);
    const before = await eventsOf(reader);
    appendFileSync(join(cwd, HISTORY), SECOND);
    expect(await eventsOf(reader)).toEqual(before);
    expect(sourcesIn([cwd]).map(({ id }) => id)).toEqual([first!.id, expect.stringContaining('20260526080000-')]);
  });

  it('is not read for each of its chats, but again after it has grown', async () => {
    using tree = createTree({ [`boat/${HISTORY}`]: FIRST + SECOND.repeat(40) });
    const cwd = join(tree.root, 'boat');
    const counted = countingFileSystem(files.fileSystem);
    const reading = { ...files, fileSystem: counted.fileSystem };
    const all = sourcesIn([cwd]);
    const readBytes = async () => {
      const { readBytes } = await counted.during(async () => {
        for (const source of all) {
          readHead(aider, source, { ...reading });
          expect(textsOf(await eventsOf(openForeign(aider, source, { ...reading })))).not.toEqual([]);
        }
      });
      return readBytes;
    };
    const bytes = statSync(join(cwd, HISTORY)).size;
    expect(all).toHaveLength(41);
    // The garbage collector may drop the text between two of them.
    expect(await readBytes()).toBeLessThan(8 * bytes);
    appendFileSync(join(cwd, HISTORY), SECOND);
    expect(await readBytes()).toBeGreaterThan(bytes);
  });

  it('distinguishes two chats of the same second, and those of different projects', () => {
    using tree = createTree({ [`boat/${HISTORY}`]: FIRST + FIRST, [`car/${HISTORY}`]: FIRST, 'bike/': '' });
    const ids = sourcesIn(['boat', 'car', 'bike'].map((name) => join(tree.root, name))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe(`${ids[0]}-2`);
  });
});

it('no place is searched if no projects are known', () => {
  expect(aider.places({ env: {}, home: '/home/ada', platform: 'linux' })).toEqual([]);
});

function sourcesIn(projects: readonly string[]): Source[] {
  const found = [...discover(aider, { env: {}, home: '/nowhere', platform: 'linux', projects }, files)];
  return found.flatMap((one) => (one.kind === 'source' ? [one.source as Source & { facts: JsonObject }] : []));
}
