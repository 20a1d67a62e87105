import { isSearchAnswer, SEARCH_NOTICE } from '../../lib/ranking/search-notice.ts';

it('an answer of the offline provider is distinguished from a text about one', () => {
  expect(isSearchAnswer(`**\`a.md:1\`**\n\n*${SEARCH_NOTICE}: it looked through 2 files of \`/home/ada\`.*\n`)).toBe(
    true,
  );
  expect(isSearchAnswer(`*${SEARCH_NOTICE}.*\n`)).toBe(true);
  expect(isSearchAnswer(`Its answers end with "${SEARCH_NOTICE}".`)).toBe(false);
});
