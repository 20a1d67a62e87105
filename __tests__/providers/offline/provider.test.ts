import fc from 'fast-check';
import { createProjectFiles, type ProjectFiles } from '../../../lib/discovery/index.ts';
import { createOfflineProvider, type OfflineOptions, type PastMessage } from '../../../lib/providers/offline/index.ts';
import type { ModelMessage } from '../../../lib/providers/provider.ts';
import { ProjectSearch } from '../../../lib/retrieval/project-search.ts';
import { createTree } from '../../support/tree.ts';
import { collect, failureOf, providerContract, requestOf, textOf } from '../provider.contract.ts';

const PROJECT = {
  'lib/journal/writer.ts': [
    '// Appends lines to one journal.',
    'import { open } from "./file.ts";',
    '',
    'export function appendLine(journal: Journal, line: Line): void {',
    '  journal.write(line);',
    '}',
    '',
  ].join('\n'),
  'lib/journal/lock.ts': 'export function acquireLock(path: string) {\n  return kernelLock(path);\n}\n',
  'lib/turn/run.ts': 'export const run = () => "a turn over the journal";\n'.repeat(3),
  'docs/guide.md': '# Anleitung\n\nDas Journal wird mit einer Sperre geschützt.\n\nLe café est ouvert.\n',
  'docs/zh.md': '# 日志\n\n日志格式的版本是一。\n',
  'README.md': '# Example\n\nA project.\n',
};

type Tree = ReturnType<typeof createTree>;

/** Over an index in memory. */
function offlineOver(files: ProjectFiles, options: Partial<OfflineOptions> = {}) {
  return createOfflineProvider({ files, search: new ProjectSearch({ files }), ...options });
}

function providerOver(tree: Tree, past: readonly PastMessage[] = []) {
  return offlineOver(createProjectFiles({ root: tree.root }), { history: () => past });
}

async function ask(
  question: string,
  {
    files = PROJECT as Record<string, string | Uint8Array>,
    past = [] as PastMessage[],
    before = [] as ModelMessage[],
  } = {},
) {
  using tree = createTree(files);
  const request = requestOf(question);
  return textOf(await collect(providerOver(tree, past), { ...request, messages: [...before, ...request.messages] }));
}

/** The files of an answer, in its order. */
function quoted(answer: string): string[] {
  return [...answer.matchAll(/^\*\*`([^`*:]+)/gm)].map(([, path]) => path!);
}

const says = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] });

function sceneOver(files: Record<string, string>, question: string) {
  const tree = createTree(files);
  return {
    provider: providerOver(tree),
    request: requestOf(question),
    [Symbol.asyncDispose]: async () => tree[Symbol.dispose](),
  };
}

providerContract('offline', {
  answers: async () => ({ ...sceneOver(PROJECT, '日志格式 und Sperre geschützt?'), holds: '日志格式的版本是一。' }),
  goesOn: async () => sceneOver({ 'long.txt': 'a line\n'.repeat(10_000) }, 'show long.txt'),
  failures: {
    'a project that is gone': {
      code: 'PROVIDER_FAILED',
      scene: async () => {
        const scene = sceneOver({}, 'where is it?');
        await scene[Symbol.asyncDispose]();
        return scene;
      },
    },
  },
});

describe('an answer of the search', () => {
  test.each(['hello', 'where is the lock?', 'show README.md', 'show nope.ts', 'what did I say?', 'xyzzy', '', '???'])(
    'to %j says that it is not a language model, and how to get one',
    async (question) => {
      const answer = await ask(question);
      expect(answer).toContain('not a language model');
      expect(answer).toMatch(/ollama pull .*--provider ollama/);
    },
  );

  test('quotes the file and the line with the words, the best file first', async () => {
    const answer = await ask('How is a line appended to the journal?');
    expect(quoted(answer)[0]).toBe('lib/journal/writer.ts');
    expect(answer).toContain('**`lib/journal/writer.ts:4`**');
    expect(answer).toContain(
      '    4  export function appendLine(journal: Journal, line: Line): void {\n    5    journal.write(line);',
    );
  });

  test('finds forms of a word, and words inside identifiers', async () => {
    expect(quoted(await ask('who acquires locks?'))[0]).toBe('lib/journal/lock.ts');
    expect(quoted(await ask('kernel'))).toEqual(['lib/journal/lock.ts']);
    expect(quoted(await ask('acquire_lock'))[0]).toBe('lib/journal/lock.ts');
  });

  test('prefers prose to code for a question, and neither for a few words', async () => {
    const files = {
      'lib/lock.ts': '// the lock, and the lock\nexport const lock = 1;\n',
      'docs/locks.md': '# Locks\n\nA lock is taken by the kernel, at the opening.\n',
    };
    expect(quoted(await ask('Where is the lock explained?', { files }))[0]).toBe('docs/locks.md');
    expect(quoted(await ask('lock', { files }))[0]).toBe('lib/lock.ts');
  });

  test('never quotes a line that quotes the question', async () => {
    const files = {
      'README.md': '# Tour\n\n$ echo "where is the journal locked?" | ollm\n',
      'docs/locks.md': 'The journal is locked by the kernel.\n',
    };
    const answer = await ask('where is the journal locked?', { files });
    expect(quoted(answer)).toEqual(['docs/locks.md']);
  });

  test('says how to get a model once in a conversation', async () => {
    const first = await ask('lock');
    expect(first).toContain('ollama pull');
    const answered: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: first }], toolCalls: [] };
    const second = await ask('journal', { before: [says('lock'), answered] });
    expect(second).toContain('not a language model');
    expect(second).not.toContain('ollama pull');
  });

  test('counts a word in the path', async () => {
    const answer = await ask('turn', {
      files: { 'lib/turn/index.ts': 'export {};\n', 'a.ts': '// turn\n', 'b.ts': 'x\n' },
    });
    expect(quoted(answer)[0]).toBe('lib/turn/index.ts');
    expect(answer).toContain('found by its name');
  });

  test('ranks by a rare word over a frequent one', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`f${index}.md`, 'session session session session\n']),
    );
    const answer = await ask('session heartbeat', { files: { ...many, 'z.md': 'a heartbeat of the session\n' } });
    expect(quoted(answer)[0]).toBe('z.md');
  });

  test('searches other languages and scripts by their words', async () => {
    expect(quoted(await ask('Wie wird das Journal mit Sperren geschuetzt?'))).toContain('docs/guide.md');
    expect(quoted(await ask('où est le cafe ?'))).toEqual(['docs/guide.md']);
    expect(quoted(await ask('日志格式是什么？'))[0]).toBe('docs/zh.md');
  });

  test('names the searched files when nothing is found, and the words that are in no file', async () => {
    const nothing = await ask('xyzzy');
    expect(nothing).toContain('Nothing found for `xyzzy`');
    expect(nothing).toContain('6 files');
    expect(await ask('journal xyzzy')).toContain('In no file: `xyzzy`');
  });

  test('quotes a text that cannot end its block', async () => {
    const line = fc.constantFrom(
      'journal',
      '```',
      '````',
      '~~~',
      '# journal',
      '> journal',
      '',
      '   ',
      '\tjournal',
      '* * *',
      '<b>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const answer = await ask('journal', { files: { 'a.md': `${lines.join('\n')}\njournal\n` } });
        const quote = answer
          .slice(answer.indexOf('**\n') + 4, answer.lastIndexOf('*This is'))
          .trimEnd()
          .split('\n');
        for (const each of quote) expect(each).toMatch(/^ {4} *\d/);
      }),
    );
  });

  test('skips and counts files that are not text, too large, ignored or likely to contain credentials', async () => {
    const answer = await ask('needle', {
      files: {
        'image.bin': Uint8Array.of(0x6e, 0x65, 0, 0x65),
        'large.txt': 'needle\n'.repeat(200_000),
        'ignored.txt': 'needle\n',
        '.gitignore': 'ignored.txt\n',
        '.env': 'needle=1\n',
        'deploy.pem': 'needle\n',
        '.ollm/session-data/x.jsonl': 'needle\n',
        'old.txt': Uint8Array.from(Buffer.from('needle \u00fcber alles\n', 'latin1')),
      },
    });
    expect(quoted(answer)).toEqual(['old.txt']);
    expect(answer).toContain('needle über alles');
    expect(answer).toMatch(/1 without text/);
    expect(answer).toMatch(/1 too large/);
    expect(answer).toMatch(/2 likely to hold credentials/);
  });

  test('cuts a line of a million characters around the word', async () => {
    const answer = await ask('needle', {
      files: { 'min.txt': `${'x'.repeat(500_000)} needle ${'y'.repeat(400_000)}` },
    });
    expect(answer).toMatch(/…x+ needle y+…/);
    expect(answer.length).toBeLessThan(2_000);
  });

  test('treats a pasted text of megabytes as a question like others', async () => {
    expect(quoted(await ask(`journal ${'z'.repeat(3_000_000)}`))).toContain('lib/journal/writer.ts');
  });
});

describe('a named file', () => {
  test('is quoted, whole or by lines', async () => {
    expect(await ask('show lib/journal/lock.ts')).toContain(
      '**`lib/journal/lock.ts:1-3`**\n\n    1  export function acquireLock',
    );
    const lines = await ask('lib/journal/writer.ts:4-5');
    expect(lines).toContain('4  export function appendLine');
    expect(lines).not.toContain('1  //');
    expect(await ask('Zeige mir die Datei lock.ts')).toContain('**`lib/journal/lock.ts:1-3`**');
    expect(await ask('show writer.ts lines 4 to 5')).toContain('**`lib/journal/writer.ts:4-5`**');
  });

  test('is quoted with a way to continue if it is long', async () => {
    const answer = await ask('show long.txt', { files: { 'long.txt': 'x\n'.repeat(1000) } });
    expect(answer).toContain('It continues to line 1000: `long.txt:201-400`');
  });

  test('that does not exist leads to similar names, or to a search', async () => {
    expect(await ask('show journal.ts')).toMatch(/no file `journal\.ts`.*Similar names: .*lib\/journal\/writer\.ts/s);
    expect(quoted(await ask('what.is/kernelLock'))).toContain('lib/journal/lock.ts');
  });

  test('that several files match leads to a question', async () => {
    const answer = await ask('show x.ts', { files: { 'a/x.ts': '', 'b/x.ts': '' } });
    expect(answer).toContain('2 files could be meant');
  });

  test('outside the project is never quoted', async () => {
    for (const path of ['/etc/passwd', '../../../../etc/passwd', 'lib/../../../etc/passwd', '~/.ssh/id_rsa'])
      expect(await ask(`show ${path}`)).toContain('There is no file');
  });

  test('with credentials is not quoted', async () => {
    expect(await ask('show .env', { files: { '.env': 'PASSWORD=x' } })).toContain('likely to hold credentials');
  });

  test('has a line count in the answer if the named lines do not exist', async () => {
    expect(await ask('README.md:90-95')).toContain('has 3 lines; there is nothing in that place');
    expect(await ask('show empty.md', { files: { 'empty.md': '' } })).toContain('has 0 lines');
  });
});

describe('a question about the session', () => {
  const past: PastMessage[] = [
    { role: 'user', text: 'Let us lock journals with flock, not with a pid file.', turn: 3 },
    { role: 'assistant', text: 'Agreed: flock it is.', turn: 3 },
    { role: 'user', text: 'And the colour is green.', turn: 4 },
  ];

  test('finds earlier messages, with their turn', async () => {
    const answer = await ask('what did I say about flock?', { past });
    expect(answer).toContain('you (turn 3): `Let us lock journals with flock, not with a pid file.`');
    expect(answer).toContain('the answer (turn 3)');
    expect(answer).not.toContain('green');
  });

  test('is recognized in German, French, Spanish and Italian too', async () => {
    for (const question of [
      'Was habe ich über flock gesagt?',
      "Qu'est-ce que j'ai dit sur flock ?",
      '¿Qué dije sobre flock?',
      'cosa ho detto su flock?',
    ])
      expect(await ask(question, { past })).toContain('you (turn 3)');
  });

  test('without a subject quotes the last messages of the user', async () => {
    const answer = await ask('what did I say?', { past });
    expect(answer).toContain('green');
    expect(answer).not.toContain('Agreed');
  });

  test('includes the messages of the request, except the question itself, and none twice', async () => {
    const before = [says('the anchor is made of iron'), says('Let us lock journals with flock, not with a pid file.')];
    expect(await ask('what did I say about the anchor?', { before })).toContain('made of iron');
    expect((await ask('what did I say about flock?', { before, past })).match(/pid file/g)).toHaveLength(1);
    expect(await ask('what did I say about the anchor?')).toContain('Nothing was said in this session');
  });

  test('does not quote an earlier answer of the search', async () => {
    const earlier = await ask('journal lock');
    const answer = await ask('what did we say about lock?', { past: [{ role: 'assistant', text: earlier }] });
    expect(answer).toContain('Nothing was said');
  });

  test('does not quote the question itself, which the session contains by then', async () => {
    const question = 'what did I say about the anchor?';
    const answer = await ask(question, { past: [{ role: 'user', text: question, turn: 3 }] });
    expect(answer).toContain('Nothing was said in this session');
  });

  test('is answered with quotes next to those of files', async () => {
    const answer = await ask('journal flock', { past });
    expect(quoted(answer).length).toBeGreaterThan(0);
    expect(answer).toContain('From this session:');
  });
});

test('a greeting is greeted', async () => {
  for (const greeting of ['Hi!', 'Guten Tag', 'こんにちは', 'hi again', 'hello there', 'help'])
    expect(await ask(greeting, { past: [{ role: 'user', text: 'hi', turn: 1 }] })).toMatch(/^Hello\./);
});

test('a thank-you gets a short answer', async () => {
  for (const thanks of ['Thank you', 'thanks a lot!', 'Danke schön', 'merci', 'great, thanks'])
    expect(await ask(thanks)).toMatch(/^You are welcome\./);
});

describe('the description of a project', () => {
  const files = {
    ...PROJECT,
    'README.md':
      '<img src="logo.png">\n\n# Anchor\n\nKeeps ships where they are.\n\n## Install\n\nnpm install anchor\n',
    'package.json':
      '{\n  "name": "anchor",\n  "description": "Holds",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
    LICENSE: 'Permission is hereby granted.\n',
  };

  test('is quoted: the head of the README, the description, and the root directory', async () => {
    const answer = await ask('What does this project do?', { files });
    expect(answer).toMatch(/^\*\*`README\.md:3`\*\*\n\n> # Anchor\n>\n> Keeps ships where they are\.\n/);
    expect(answer).toContain('"description": "Holds"');
    expect(answer).toContain('At the root: `docs/` (2), `lib/` (3), `LICENSE`, `README.md`, `package.json`.');
    expect(answer).not.toContain('that may answer it');
  });

  test.each([
    ['How do I install it?', '> npm install anchor'],
    ['How do I run the tests?', '"test": "node --test"'],
    ['Which licence does it have?', '> Permission is hereby granted.'],
  ])('answers “%s”', async (question, quote) => {
    expect(await ask(question, { files })).toContain(quote);
  });
});

test('a name that is asked for is answered with its definition', async () => {
  const answer = await ask('Where is acquireLock defined?');
  expect(answer).toContain('**`lib/journal/lock.ts:1`**\n\n    1  export function acquireLock(path: string) {');
});

test('an abort ends a search between two files, and the wait for a port that hangs', async () => {
  const reads: string[] = [];
  const stop = new AbortController();
  const files: ProjectFiles = {
    root: '/',
    list: async () => ({ paths: Array.from({ length: 5000 }, (_, index) => `f${index}`), isCut: false }),
    read: async (path) => {
      if (reads.push(path) === 40) setImmediate(() => stop.abort());
      return { path, text: 'word' };
    },
  };
  const stopped = collect(offlineOver(files), requestOf('word'), stop.signal);
  expect(await failureOf(stopped)).toMatchObject({ code: 'INTERRUPTED' });
  expect(reads.length).toBeLessThan(1000);

  const hangs: ProjectFiles = { ...files, list: () => new Promise(() => {}) };
  const soon = new AbortController();
  setImmediate(() => soon.abort());
  expect(await failureOf(collect(offlineOver(hangs), requestOf('word'), soon.signal))).toMatchObject({
    code: 'INTERRUPTED',
  });
});

test('an answer quotes at most the given number of files', async () => {
  using tree = createTree({ 'a.md': 'word of iron', 'b.md': 'a word, and oak', 'c.md': 'flax is a word' });
  const provider = offlineOver(createProjectFiles({ root: tree.root }), { maxPassages: 2 });
  expect(quoted(textOf(await collect(provider, requestOf('word'))))).toHaveLength(2);
});

test('the one model of the search is called search', async () => {
  using tree = createTree();
  expect(await providerOver(tree).models()).toEqual([{ name: 'search' }]);
});

describe('a question of a newcomer is answered', () => {
  const FILES = {
    ...PROJECT,
    'package.json': '{\n  "name": "boats",\n  "author": "Ann Anker",\n  "engines": {\n    "node": ">=20"\n  }\n}\n',
    LICENSE: 'MIT License\n\nCopyright (c) 2026 the crew\n',
  };

  it.each([
    ['who wrote this?', ['package.json', 'LICENSE'], /"author": "Ann Anker"[\s\S]*the crew/],
    ['which node version do I need?', ['package.json'], /"node": ">=20"/],
  ])('%s', async (question, files, words) => {
    const answer = await ask(question, { files: FILES });
    expect(quoted(answer)).toEqual(files);
    expect(answer).toMatch(words);
  });

  it('with the number of files of each kind, if it asks about the size of the project', async () => {
    const answer = await ask('how big is this project?', { files: FILES });
    expect(answer).toMatch(
      /^8 files, of them 3 `\.md`, 3 `\.ts`, 1 `\.json`\.\n\nAt the root: `docs\/` \(2\), `lib\/` \(3\)/,
    );
  });

  it('with the missing files, in a directory without one', async () => {
    for (const question of ['what is this?', 'where is the anchor?', 'what files are here?'])
      expect(await ask(question, { files: {} })).toMatch(/^There is no file in this directory\./);
  });
});
