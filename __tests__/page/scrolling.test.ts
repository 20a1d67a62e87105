// The text in view stays in its place while a conversation is scrolled up and older pages are loaded above.
import { comesTrue, inBrowser, type ServedPage, servePage, watchShifts } from '../support/page-in-browser.ts';

const said = (role: string, text: string): object => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: true },
});
const call = (at: number): object[] => [
  { type: 'tool.requested', data: { callId: `c${at}`, name: 'bash', args: { command: `ls ${at}` } } },
  {
    type: 'tool.finished',
    data: { callId: `c${at}`, status: at % 5 ? 'ok' : 'error', result: { llmContent: 'x\n' }, trusted: false },
  },
];

inBrowser('a conversation that is scrolled', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    // Answers of very different lengths, and stacks of calls that go on from page to page.
    const turns = Array.from({ length: 20 }, (_, at) => [
      said('user', `prompt ${at}`),
      ...Array.from({ length: (at * 7) % 23 }, (__, index) => call(at * 100 + index)).flat(),
      said('assistant', `Answer ${at}. `.repeat(((at * 13) % 90) + 1)),
    ]);
    await served.append('long', turns.flat());
  });
  afterAll(() => served?.close());

  it('does not shift the text in view, and ends at its beginning', async () => {
    await using opened = await served.open('/s/long');
    const { page, faults } = opened;
    await page.locator('.flow').getByText('prompt 19', { exact: true }).waitFor();
    await page.locator('.outline a').first().waitFor();
    const shifts = await watchShifts(page);
    for (let step = 0; step < 40; step += 1) {
      const isAtTop = await page.evaluate(`(() => {
        const flow = document.querySelector('.flow');
        flow.scrollBy(0, ${[-300, -700, -1500, -2500, -120][step % 5]});
        return flow.scrollTop === 0;
      })()`);
      await comesTrue(page, `!document.querySelector('.page-of-events:not([data-loaded])')`);
      if (isAtTop) break;
    }
    await page.locator('.flow').getByText('prompt 0', { exact: true }).waitFor();
    // The room of a page that is not loaded holds nothing that is read.
    expect((await shifts()).filter((shift) => / event \w/.test(shift))).toEqual([]);
    expect(faults).toEqual([]);
  });
});
