// Hits that have most of the words, where few have all of them: forms, spelling, questions.
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import type { SearchRequest } from '../../lib/catalog/search-request.ts';
import { said } from '../session/world.ts';
import { callOf, type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
beforeAll(async () => {
  hub = hubWorld();
  await hub.make('oak', [
    'The list does not scroll to the bottom',
    said('assistant', 'I fixed the scrolling: the list goes to its bottom after each message now.'),
    ...callOf('c1', { command: 'npm test -- lighthouse/beacon.ts' }, 'ECONNRESET: connection reset by peer'),
  ]);
  await hub.make('elm', ['Template injections are a vulnerability', said('assistant', 'The harbour is deep.')]);
  await hub.make('ash', ['Hello'], {}, { title: 'Migration of the documentation', cwd: '/home/ada/gardens' });
  await hub.sync();
});
afterAll(() => hub.remove());

const ask = (request: string | SearchRequest) =>
  hub.withApp((app) => searchSessions(app, typeof request === 'string' ? { text: request } : request));
const near = async (text: string) =>
  (await ask(text)).hits.filter(({ isNear }) => isNear).map(({ address }) => address);

it('a question finds the messages with most of its words, the best first', async () => {
  expect(await near('where did I fix the scroll to bottom?')).toEqual(['ollm:oak#2', 'ollm:oak#1']);
});

it.each([
  [{ text: 'how did you scroll to the bottom' }, ['ollm:oak#1 false', 'ollm:oak#2 true']],
  [{ text: 'how did you scroll to the bottom', isExact: true }, []],
  [{ text: 'does not scroll to the bottom' }, ['ollm:oak#1 false', 'ollm:oak#2 true']],
  [{ text: 'scroll "to the" bottom' }, ['ollm:oak#1 false', 'ollm:oak#2 true']],
  [{ text: 'not bottom' }, ['ollm:oak#1 false', 'ollm:oak#2 true']],
  [{ text: 'does not the to' }, ['ollm:oak#1 false']],
  [{ text: 'does not the you' }, []],
])(
  '%j of few words finds all of them first, and a sentence those that are not in any question',
  async (request, expected) => {
    const { hits } = await ask(request);
    expect(hits.map(({ address, isNear }) => `${address} ${isNear}`)).toEqual(expected);
  },
);

it.each([
  ['injection', 'ollm:elm#1'],
  ['scrolled bottoms', 'ollm:oak#2'],
  ['documentation migrations', 'ollm:ash'],
])('%s finds other forms of its words, marked as near', async (words, address) => {
  expect(await near(words)).toContain(address);
});

it('a word of a title is corrected like one of a text, and is known as it is', async () => {
  const { hits, didYouMean } = await ask('migratoin documentation');
  expect(didYouMean).toBe('migration documentation');
  expect(hits.map(({ address }) => address)).toEqual(['ollm:ash']);
  expect((await ask('migration harbours qqqqqq')).leftOut).toEqual(['In no text: qqqqqq.']);
});

it.each([
  ['title:migratoin', 'title:migration', ['ollm:ash']],
  ['hello title:"Migration of the documentatoin"', 'hello title:"Migration of the documentation"', ['ollm:ash#1']],
  ['agent:ollm conection path:lihgthouse/beacon.ts', 'agent:ollm connection path:lighthouse/beacon.ts', ['ollm:oak#6']],
  ['project:gradens hello', 'project:gardens hello', ['ollm:ash#1']],
])('%s suggests %s, and finds what that finds', async (typed, meant, addresses) => {
  const { hits, didYouMean } = await ask(typed);
  expect(didYouMean).toBe(meant);
  expect(hits.map(({ address }) => address)).toEqual(addresses);
  expect(hits.every(({ isNear }) => isNear)).toBe(true);
});

it('a filter that was given as an option is corrected in the suggested line', async () => {
  expect(await ask({ text: 'hello', title: 'migratoin' })).toMatchObject({
    didYouMean: 'hello title:"migration"',
    hits: [{ address: 'ollm:ash#1' }],
  });
  expect(await ask({ text: 'hello', title: 'migratoin', isExact: true })).toMatchObject({ hits: [] });
});

it('a suggestion has the filters of the line', async () => {
  expect((await ask('agent:ollm conection')).didYouMean).toBe('agent:ollm connection');
});

it('a short text with all words comes before a long one', async () => {
  const long = `They anchored near two lighthouses. ${'Much else was said. '.repeat(200)}`;
  await hub.make('long', [said('assistant', 'Anchoring: see the lighthouse.'), said('assistant', long)]);
  await hub.sync();
  expect(await near('lighthouse anchors')).toEqual(['ollm:long#1', 'ollm:long#2']);
});

it('hits with all words come first, and each comes once', async () => {
  const { hits } = await ask('scroll bottom');
  expect(hits.map(({ address, isNear }) => `${address} ${isNear}`)).toEqual(['ollm:oak#1 false', 'ollm:oak#2 true']);
});

it.each([
  ['conection', 'connection'],
  ['hrabour', 'harbour'],
  ['harbouur deep', 'harbour deep'],
  ['xarbour', 'harbour'],
])('%s suggests %s, which is searched as well', async (typed, meant) => {
  const { hits, didYouMean } = await ask(typed);
  expect(didYouMean).toBe(meant);
  expect(hits).toHaveLength(1);
});

it('a word without a match or a similar word is named', async () => {
  const { hits, didYouMean, leftOut } = await ask('harbour qqqqqq');
  expect({ hits: hits.map(({ address }) => address), didYouMean, leftOut }).toEqual({
    hits: ['ollm:elm#2'],
    didYouMean: undefined,
    leftOut: ['In no text: qqqqqq.'],
  });
});

it.each(['"scroll bottoms"', 'injection -template', 'connection reset tool:other', 'connection scroll injection deep'])(
  '%s finds nothing near',
  async (words) => expect(await near(words)).toEqual([]),
);

it('an exact search has no near hits', async () => {
  expect((await ask({ text: 'injection', isExact: true })).hits).toEqual([]);
});

it('filters apply to near hits too', async () => {
  expect(await near('scrolled bottoms role:user')).toEqual(['ollm:oak#1']);
  expect(await near('scrolled bottoms agent:claude')).toEqual([]);
});
