// What a question is after, by the phrases that newcomers use.
import { fileKindOf } from '../../lib/ranking/file-kind.ts';
import { readIntent } from '../../lib/ranking/intent.ts';

const overview = (question: string) => readIntent(question, ['boats', '@sea/boats']).overview;

test.each([
  ['about', 'What does this project do?'],
  ['about', 'what is this'],
  ['about', 'What is boats?'],
  ['about', 'what does @sea/boats do'],
  ['about', 'How does it work?'],
  ['about', 'Was macht dieses Projekt?'],
  ['start', 'How do I start it?'],
  ['start', 'how do I install boats'],
  ['start', 'wie starte ich das Programm?'],
  ['tests', 'How do I run the tests?'],
  ['licence', 'Which license does it have?'],
  ['licence', 'licence'],
  ['contribute', 'How can I contribute?'],
  ['security', 'How do I report a vulnerability?'],
  ['changes', 'What changed in the last release?'],
  ['changes', 'what changed lately'],
  ['authors', 'Who wrote this?'],
  ['authors', 'who maintains boats?'],
  ['authors', 'Wer hat das geschrieben?'],
  ['runtime', 'Which node version do I need?'],
  ['runtime', 'does it support python?'],
  ['files', 'how big is this project?'],
  ['files', 'What files are here?'],
  ['files', 'how many lines are there'],
  ['files', 'list all files'],
] as const)('an overview of the kind %s answers “%s”', (kind, question) => {
  expect(overview(question)).toBe(kind);
});

test.each([
  'What does the anchor do?',
  'How do I install a plugin?',
  'Where is the test of the anchor?',
  'start the engine',
  'test',
  'anchor',
  'what does list do?',
  'What is a file?',
  'Who calls the anchor?',
  'how is a file written?',
  'Which node is the parent?',
  'How are licences of dependencies checked?',
  '',
])('a question about something in particular, such as “%s”, is answered by no overview', (question) => {
  expect(overview(question)).toBeUndefined();
});

test.each([
  ['code', 'Where is switchMap implemented?'],
  ['code', 'Which function parses a line?'],
  ['code', 'where are the schedulers'],
  ['prose', 'Where is the lock explained?'],
  ['prose', 'How do I retry a request?'],
  ['prose', 'What is the difference between a and b?'],
  [undefined, 'anchor chain'],
])('%s is what answers “%s”', (wants, question) => {
  expect(readIntent(question, []).wants).toBe(wants);
});

test('words that only name the kind of text are not searched, unless there are no others', () => {
  const wordsOf = (question: string) => readIntent(question, []).query.terms.map(({ shown }) => shown);
  expect(wordsOf('Which function is the anchor defined in?')).toEqual(['anchor']);
  expect(wordsOf('Where are functions defined?')).toEqual(['functions', 'defined']);
});

test.each([
  ['Where is switchMap implemented?', ['switchMap']],
  ['what does `lock` do', ['lock']],
  ['read_file or lib/a.ts?', ['read_file', 'lib/a.ts']],
  ['ReplaySubject', ['ReplaySubject']],
  ['anchor', ['anchor']],
  ['Where is the anchor?', []],
])('the names in “%s” are %j', (question, names) => {
  expect(readIntent(question, []).identifiers).toEqual(names);
});

test.each([
  ['README.md', 'prose'],
  ['LICENSE', 'prose'],
  ['lib/anchor.ts', 'code'],
  ['lib/anchor.d.ts', 'types'],
  ['package.json', 'data'],
  ['__tests__/anchor.ts', 'test'],
  ['lib/anchor.spec.js', 'test'],
  ['lib/latest/anchor.ts', 'code'],
  ['package-lock.json', 'generated'],
  ['lib/events.generated.ts', 'generated'],
  ['9f1c2a34-0000-4000-8000-0123456789ab.md', 'generated'],
  ['CHANGELOG.md', 'history'],
])('the kind of the file %s is %s', (path, kind) => {
  expect(fileKindOf(path)).toBe(kind);
});
