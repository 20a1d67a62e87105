// How many columns of a terminal a text takes, and cutting one to fit. East Asian wide characters and emoji take two,
// marks that combine with the character before them none.

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const PLAIN = /^[\x20-\x7e]*$/;

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** At most `width` columns; an ellipsis says that something is missing. */
export function fitWidth(text: string, width: number): string {
  if (PLAIN.test(text) && text.length <= width) return text;
  let fitting = '';
  let taken = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = taken + graphemeWidth(segment);
    if (next > width) return cutWithEllipsis(fitting, width);
    fitting += segment;
    taken = next;
  }
  return fitting;
}

function cutWithEllipsis(fitting: string, width: number): string {
  if (width < 1) return '';
  let text = fitting;
  const graphemes = [...segmenter.segment(fitting)].map(({ segment }) => segment);
  while (displayWidth(text) > width - 1) {
    graphemes.pop();
    text = graphemes.join('');
  }
  return `${text}…`;
}

function graphemeWidth(grapheme: string): number {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}
