import fc from 'fast-check';
import { extractSummary } from '../../../lib/context/compaction/extract.ts';
import { checkpointText } from '../../../lib/context/compaction/plan.ts';
import {
  headingOf,
  missingSections,
  QUESTION,
  readSections,
  SUMMARY_SECTIONS,
} from '../../../lib/context/compaction/sections.ts';
import { inParts, writeSummary } from '../../../lib/context/compaction/write-summary.ts';
import { createReplayer } from '../../../lib/projections/replayer.ts';
import { type ViewItem, viewFold } from '../../../lib/projections/view.ts';
import { estimateTokens } from '../../../lib/tokens/estimate.ts';
import { arbitrarySession } from '../../support/arbitrary-session.ts';
import { event, stored } from '../../support/event-list.ts';

function itemsOf(events: Parameters<typeof stored>[0]): readonly ViewItem[] {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view.timeline.entries;
}

const TALK = [
  event.created(),
  event.said('user', 'Please never touch lib/vendor/old.c, and answer in German.'),
  event.said('assistant', 'Agreed. We decided to use XXH64, because it is fast.'),
  event.asked('c', 'shell', { command: 'make -C build/out' }),
  event.finished('c', 'cc: error: undefined symbol foo', { status: 'error' }),
  event.said('assistant', 'Still to do: the tests of src/checksum.ts.'),
];

describe('an extracted summary', () => {
  const summary = extractSummary(itemsOf(TALK), { maxTokens: 500 });
  const sections = readSections(summary);

  it.each([
    ['preferences', 'never touch lib/vendor/old.c'],
    ['decisions', 'decided to use XXH64'],
    ['open work', 'the tests of src/checksum.ts'],
    ['paths', 'build/out'],
    ['errors', 'undefined symbol foo'],
  ])('keeps %s', (section, text) => {
    expect(sections.get(section)).toContain(text);
  });

  it('recognizes the name of an error, but not a word that merely begins like one', () => {
    const talk = [
      event.created(),
      event.said('user', 'Every example even has an export.'),
      event.said('assistant', 'open: ENOENT'),
    ];
    const found = readSections(extractSummary(itemsOf(talk), { maxTokens: 500 })).get('errors');
    expect(found).toBe('- assistant: open: ENOENT');
  });

  it('keeps the question separate from it, also when it is summarized again with that question', () => {
    const previous = `${summary}\n\n${headingOf(QUESTION)}\nUser: Three things:\n- one\n- two`;
    const next = readSections(
      extractSummary(itemsOf([event.created(), event.said('user', 'Go on.')]), { maxTokens: 500, previous }),
    );
    expect(next.get('errors')).toBe(sections.get('errors'));
    expect(next.get('course')).toBe(`${sections.get('course')}\n- asked: Go on.`);
  });

  it('includes the previous summary', () => {
    const next = extractSummary(itemsOf([event.created(), event.said('user', 'Go on.')]), {
      maxTokens: 500,
      previous: summary,
    });
    expect(next).toContain('decided to use XXH64');
    expect(next).toContain('asked: Go on.');
  });

  const FOREIGN = [
    'This session is being continued from a previous conversation.',
    '',
    '1. Primary Request and Intent:',
    '   The user wants a journal. No JSON encoder is needed.',
    '## Errors and fixes',
    '- ENOSPC was worked around',
    '## Errors',
    'The build broke twice.',
    '- cc: undefined symbol bar',
    '## Pending Tasks',
    '1. Write the tests of src/wal.ts',
  ].join('\n');
  const goingOn = itemsOf([event.created(), event.said('user', 'Go on.')]);

  it('includes a summary that a foreign program wrote under its own headings, however often it is summarized again', () => {
    let next = FOREIGN;
    for (let round = 0; round < 4; round++) {
      next = extractSummary(goingOn, { maxTokens: 500, previous: next });
      for (const line of FOREIGN.split('\n')) if (line !== '## Errors') expect(next).toContain(line);
      expect(next.match(/No JSON encoder is needed/g)).toHaveLength(1);
      expect(readSections(next).get('errors')).toBe('- cc: undefined symbol bar');
      expect(missingSections(next)).toEqual([]);
    }
  });

  it('cuts a long foreign summary to half of the room, and cuts no more of it later', () => {
    const long = Array.from({ length: 300 }, (_, index) => `Fact ${index} about the work.`).join('\n');
    const once = extractSummary(goingOn, { maxTokens: 600, previous: long });
    expect(once).toContain('Fact 0 about');
    expect(once).toContain('Fact 299 about');
    expect(estimateTokens(once)).toBeLessThanOrEqual(600);
    expect(readSections(once).get('course')).toContain('asked: Go on.');
    const twice = extractSummary(goingOn, { maxTokens: 600, previous: once });
    expect(readSections(twice).get('earlier notes')).toBe(readSections(once).get('earlier notes'));
  });

  it('fits with any previous summary', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 4000 }), fc.integer({ min: 128, max: 400 }), (previous, maxTokens) => {
        const text = extractSummary(itemsOf(TALK), { maxTokens, previous });
        expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens + 1);
        expect(missingSections(text)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  const pathsOf = (said: string) =>
    (
      readSections(extractSummary(itemsOf([event.created(), event.said('user', said)]), { maxTokens: 900 })).get(
        'paths',
      ) ?? ''
    )
      .split('\n')
      .map((line) => line.slice(2));

  it.each(['OAuth/proxy', 'diff/scan', 'endpoint/model', 'prompt.New', 'Terminal.app', 'e.g', 'status/model.'])(
    'treats %s as words, not as a path',
    (word) => {
      expect(pathsOf(`We look at ${word} again`)).toEqual(['none']);
    },
  );

  it.each([
    'src/lib',
    'lib/wal.ts',
    './run',
    '/etc',
    '~/notes',
    'a/b/c',
    'deploy-2/prod',
    'README.md',
    'package-lock.json',
  ])('recognizes the path %s', (word) => {
    expect(pathsOf(`We look at ${word}, again`)).toEqual([word]);
  });

  it('treats an injected message neither as a question nor as a preference', () => {
    const said =
      '<task-notification>\nAlways report. Never stop.\n</task-notification>\n<environment_context>cwd</environment_context>';
    const talk = [event.created(), event.said('user', said), event.said('user', `${said}\nPlease use <b>tabs</b>.`)];
    const found = readSections(extractSummary(itemsOf(talk), { maxTokens: 500 }));
    expect(found.get('preferences')).toBe('- user: Please use <b>tabs</b>.');
    expect(found.get('course')).toBe('- asked: Please use <b>tabs</b>.');
  });

  it('includes a question once, however often a long turn is cut', () => {
    const carried = `${headingOf(QUESTION)}\nUser: Go on.`;
    const plan = { covered: [], coveredMessages: 0, covers: { from: 0, to: 0 }, keptFrom: 1, carried };
    const sizes = { tokensBefore: 0, tokensKept: 0 };
    const once = checkpointText({ ...plan, ...sizes, previous: summary }, undefined);
    const twice = checkpointText({ ...plan, ...sizes, previous: once }, undefined);
    expect(once).toBe(`${summary}\n\n${carried}`);
    expect(twice).toBe(once);
  });

  it('has every section and at most its limit of tokens, for any conversation', () => {
    fc.assert(
      fc.property(arbitrarySession(), fc.integer({ min: 60, max: 300 }), (events, maxTokens) => {
        const text = extractSummary(itemsOf(events), { maxTokens });
        expect(missingSections(text)).toEqual([]);
        expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
      }),
      { numRuns: 200 },
    );
  });

  it('is made quickly of hostile text', () => {
    const text = [
      'a/'.repeat(200_000),
      '.'.repeat(200_000),
      '<a-b>'.repeat(40_000),
      `${'a'.repeat(399)}\n`.repeat(2_000),
    ].join('\n');
    expect(extractSummary(itemsOf([event.created(), event.said('user', text)]), { maxTokens: 300 })).toContain('none');
  });
});

describe('a summary by a model', () => {
  const whole = SUMMARY_SECTIONS.map(({ title }) => `### ${title}\n- something`).join('\n');

  it('is requested by section, about a quotation of the conversation, with the previous summary', async () => {
    const asked: string[] = [];
    const text = await writeSummary(itemsOf(TALK), {
      ask: async ({ text: question }) => {
        asked.push(question);
        return whole;
      },
      partTokens: 2000,
      maxTokens: 300,
      previous: 'the elder summary',
    });
    expect(text).toBe(whole);
    expect(asked).toHaveLength(1);
    for (const { title } of SUMMARY_SECTIONS) expect(asked[0]).toContain(`### ${title}`);
    expect(asked[0]).toMatch(/<<<untrusted [0-9a-f]+ conversation>>>\nSummary of what came before:\nthe elder summary/);
    expect(asked[0]).toContain('Result (error): cc: error');
  });

  it('gets the sections that the model forgot, by extraction', async () => {
    const text = await writeSummary(itemsOf(TALK), {
      ask: async () => '**Decisions:**\n- XXH64\n',
      partTokens: 2000,
      maxTokens: 400,
    });
    expect(missingSections(text)).toEqual([]);
    expect(text).toContain('undefined symbol foo');
    expect(text.match(/Decisions/g)).toHaveLength(1);
  });

  it('is written in parts if the history is larger than a request, and then of those parts', async () => {
    const long = Array.from({ length: 40 }, (_, index) =>
      event.said('user', `Message ${index}: ${'word '.repeat(100)}`),
    );
    const sizes: number[] = [];
    const text = await writeSummary(itemsOf([event.created(), ...long]), {
      ask: async ({ text: question }) => {
        sizes.push(estimateTokens(question));
        return question.includes('Part 1:') ? whole : `- part with ${question.match(/Message \d+/)?.[0]}`;
      },
      partTokens: 1000,
      maxTokens: 300,
    });
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(1000 + 500);
    expect(text).toBe(whole);
  });

  it('ends although the model answers with more than its input', async () => {
    let calls = 0;
    await writeSummary(itemsOf([event.created(), event.said('user', 'word '.repeat(3000))]), {
      ask: async () => {
        calls += 1;
        return 'much '.repeat(3000);
      },
      partTokens: 400,
      maxTokens: 300,
    });
    expect(calls).toBeLessThan(50);
  });

  it('is a failure if the model answers nothing', async () => {
    const empty = writeSummary(itemsOf(TALK), { ask: async () => ' \n', partTokens: 900, maxTokens: 300 });
    await expect(empty).rejects.toMatchObject({ code: 'COMPACTION_FAILED' });
  });

  it('puts every text into a part, whole unless it is longer than a part', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 })), fc.integer({ min: 120, max: 400 }), (texts, most) => {
        const parts = inParts(texts, most);
        expect(parts.join('\n\n')).toBe(texts.join('\n\n'));
        for (const part of parts) expect(estimateTokens(part)).toBeLessThanOrEqual(Math.max(most, 300));
      }),
    );
  });
});
