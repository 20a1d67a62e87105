// The sessions of the pictures of the page, as data: a garden, as ollm and as Claude Code keep it.
import { HOSTILE } from '../__tests__/support/hostile-texts.ts';

export interface GardenLine {
  readonly type: string;
  readonly turn?: number;
  readonly data: object;
}

const titled = (title: string): GardenLine => ({ type: 'session.titled', data: { title, by: 'user' } });
export const said = (role: string, text: string): GardenLine => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: true },
});
/** A conversation of these texts, the user first. */
export const talk = (...texts: readonly string[]): GardenLine[] =>
  texts.map((text, at) => said(at % 2 === 0 ? 'user' : 'assistant', text));
const turn = (number: number, steps: number, durationMs: number, ...lines: readonly GardenLine[]): GardenLine[] => [
  { type: 'turn.started', turn: number, data: { input: 'user' } },
  ...lines,
  { type: 'turn.ended', turn: number, data: { status: 'completed', steps, durationMs } },
];
let calls = 0;
function call(name: string, args: object, status: string, llmContent: string, durationMs?: number): GardenLine[] {
  const callId = `call-${++calls}`;
  const isDenied = status === 'denied';
  const decision = isDenied ? { decision: 'deny', rule: 'bash(rm *)' } : { decision: 'allow', rule: name };
  const place = { sandbox: 'bubblewrap', network: false, envRemoved: ['API_KEY'] };
  const finished = { callId, status, result: { llmContent }, ...(durationMs && { durationMs }), trusted: false };
  return [
    { type: 'tool.requested', data: { callId, name, args } },
    { type: 'tool.decided', data: { callId, by: 'policy', ...decision } },
    ...(isDenied ? [] : [{ type: 'tool.started', data: { callId, ...place } }]),
    { type: 'tool.finished', data: finished },
  ];
}
const used = (inputTokens: number, cachedTokens: number, totalCost: number): GardenLine => ({
  type: 'usage.reported',
  data: { inputTokens, outputTokens: 420, cachedTokens, totalCost, source: 'provider', model: 'maple-2' },
});
const EDIT = {
  path: 'src/watering.ts',
  old_string: 'const hours = 6;\nreturn hours;',
  new_string: 'const hours = rainToday() ? 12 : 6;\nreturn hours;',
};
const READ = Array.from({ length: 48 }, (_, at) => `line ${at}`).join('\n');
const FAILED = 'FAIL src/watering.test.ts\n  ✕ waits six hours\n    expected 6, received 12\n\nexit code 1';
const PASSED = 'PASS src/watering.test.ts\nPASS src/greenhouse.test.ts';
const SUMMARY = 'Beds three and five rest: they had cabbage twice. Potatoes go into the first and half of the second.';

const GARDEN: Readonly<Record<string, readonly GardenLine[]>> = {
  watering: [
    titled('Water less often when it rains'),
    ...turn(
      1,
      3,
      41_000,
      said('user', 'The beds are watered every six hours, also when it rains. Can you change that?'),
      ...call('file_read', { path: 'src/watering.ts' }, 'ok', READ, 4),
      ...call('file_edit', EDIT, 'ok', 'Replaced one place.', 9),
      used(9_400, 6_100, 0.031),
      ...call('bash', { command: 'npm test -- watering' }, 'error', FAILED, 2_140),
      used(11_800, 9_200, 0.024),
      said(
        'assistant',
        "The test still runs with yesterday’s weather. It should say which weather it means:\n\n1. **Dry**: six hours, as before\n2. **Rain**: twelve hours\n\n```ts\nit.each([[false, 6], [true, 12]])('rain %p waits %d hours', (rain, hours) => {\n  expect(waitHours({ rain })).toBe(hours);\n});\n```",
      ),
    ),
    ...turn(
      2,
      2,
      22_000,
      said('user', 'Good. Do the same for the greenhouse, and show me both as a table.'),
      ...call('bash', { command: 'npm test -- watering greenhouse' }, 'ok', PASSED, 3_010),
      used(14_900, 11_700, 0.029),
      said(
        'assistant',
        'Both pass now.\n\n| bed | dry | rain |\n|---|---:|---:|\n| roses | 6 h | 12 h |\n| tomatoes, greenhouse | 4 h | 4 h |\n\nThe greenhouse does not look at the rain: it has a roof.',
      ),
    ),
  ],
  pruning: [
    titled('When to prune which tree'),
    ...talk('When should I prune the cherry?', 'In summer, after the harvest.'),
  ],
  undone: [
    titled('A name for the shed'),
    ...turn(1, 1, 1_400, ...talk('How should we call the shed?', 'The workshop.')),
    ...turn(2, 1, 900, ...talk('Paint the name on the door in green.', 'Done: in green.')),
    { type: 'branch.moved', data: { head: 5, reason: 'undo' } },
    ...turn(
      3,
      2,
      2_100,
      said('user', 'No, in blue.'),
      ...call('bash', { command: 'rm -rf old-door' }, 'denied', 'A rule forbids this call.'),
      said('assistant', 'Then the old door stays. The name is in blue.'),
    ),
  ],
  languages: [
    titled('متى تُسقى الورود؟ 什么时候浇水 🌹'),
    ...turn(
      1,
      1,
      12_000,
      ...talk(
        'متى تُسقى الورود في الصيف، وكم مرة في الأسبوع؟ رقم السرير هو 42.',
        'في الصباح الباكر:\n\n1. **الورود**: مرتين في الأسبوع\n2. الطماطم في `greenhouse.ts`: كل يوم\n\n```ts\nconst hours = 12; // ساعات\n```',
        '番茄呢？温室里没有雨，也要每天浇水吗？',
        '要。温室里没有雨，所以每天早上浇一次水。\n\n| 床 | 晴天 | 雨天 |\n|---|---:|---:|\n| 玫瑰 | 六小时 | 十二小时 |\n| 番茄 🍅 | 四小时 | 四小时 |',
        '👩🏽‍🌾🌦️ and 🏴󠁧󠁢󠁷󠁬󠁳󠁿? Ça va, naïve façade, Ünïcödé, ‮txt.exe',
        'Yes: 👍🏿.',
      ),
    ),
  ],
  damaged: [
    titled('What the storm broke'),
    ...talk(
      'List what the storm broke.',
      'Two panes of the greenhouse and the gate.',
      'And what is insured?',
      'The panes are. The gate is not.',
    ),
  ],
  held: [titled('Order seeds for spring'), ...talk('Which seeds are missing?', 'Beans and chard.')],
  diary: [titled('A diary'), said('user', 'Nothing of this can be read without the key.')],
  asks: [titled('Clear the shed')],
  streams: [titled('A year of apples')],
  compacted: [
    titled('Plan the year in the garden'),
    ...turn(
      1,
      2,
      9_000,
      ...talk(
        'Which beds rest this year?',
        'The third and the fifth: both had cabbage twice.',
        'And which get potatoes?',
        'The first, which had beans, and half of the second.',
      ),
    ),
    ...turn(
      2,
      1,
      3_000,
      said('user', 'What follows the potatoes?'),
      {
        type: 'compaction.completed',
        data: {
          ...{ strategy: 'summarize', summaryTokens: { count: 31, method: 'unknown' }, by: 'user' },
          ...{ covers: { from: 1, to: 7 }, keptFrom: 8, tokensBefore: 81_000, tokensAfter: 12_400 },
          summary: SUMMARY,
        },
      },
      said('assistant', 'Spinach, from the end of August.'),
    ),
  ],
  hostile: [
    titled('<script>alert(1)</script> \u202etxt.exe'),
    ...talk(...HOSTILE.slice(0, 6)),
    ...call('bash', { command: `echo "\u001b[2J<img src=x onerror=alert(1)>"` }, 'error', '\u001b[31m<b>red</b>', 20),
  ],
  compost: [
    titled('Why the compost smells'),
    ...talk('The compost smells of ammonia.', 'Too much nitrogen: add straw.'),
  ],
};

/** The lines of each session, by its id; their tools ran in this project. */
export function gardenIn(cwd: string): Record<string, readonly GardenLine[]> {
  const placed = (line: GardenLine) => (line.type === 'tool.started' ? { ...line, data: { ...line.data, cwd } } : line);
  return Object.fromEntries(Object.entries(GARDEN).map(([id, lines]) => [id, lines.map(placed)]));
}
