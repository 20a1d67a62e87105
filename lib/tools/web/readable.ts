// What a page says, as text: headings, lists, tables and links in signs of Markdown, nothing that only a browser uses.
import { type FormatCallback, type HtmlToTextOptions, htmlToText } from 'html-to-text';

/** More would hold others up while it is read: the parser's time grows with the square of how deep tags nest. */
const MAX_CHARACTERS = 1_000_000;
const MAX_OPENED_TAGS = 20_000;
const MAX_TAGS = 50_000;
const MAX_DEPTH = 200;
const TITLE = /<title[^>]{0,200}>([^<]{0,500})/i;
const META_CHARSET = /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i;
const HEAD_BYTES = 2048;

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  builder.addInline(`${'#'.repeat(Number(element.name?.slice(1) ?? 1))} `);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};
const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' | ');
};

const skipped = ['title', 'img', 'nav', 'svg', 'template', 'iframe', 'canvas', 'select', 'button'];

function optionsFor(url: URL): HtmlToTextOptions {
  return {
    wordwrap: false,
    limits: { maxInputLength: MAX_CHARACTERS, maxDepth: MAX_DEPTH },
    formatters: { heading, cell },
    selectors: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'heading' })),
      ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      {
        selector: 'a',
        options: {
          pathRewrite: (path: string) => URL.parse(path, url.href)?.href ?? path,
          hideLinkHrefIfSameAsText: true,
          noAnchorUrl: true,
        },
      },
      ...skipped.map((selector) => ({ selector, format: 'skip' })),
    ],
  };
}

interface ReadableText {
  readonly title: string;
  readonly text: string;
  /** Whether it is only the beginning. */
  readonly isCut: boolean;
}

/**
 * @example
 * readablePage('<h1>Hinges</h1><p>Oil them.', new URL('https://example.org/')).text; // '# Hinges\n\nOil them.'
 */
export function readablePage(html: string, url: URL): ReadableText {
  const read = boundedHtml(html);
  const title = (TITLE.exec(read)?.[1] ?? '').replace(/\s+/g, ' ').trim();
  const text = htmlToText(read, optionsFor(url));
  return { title: htmlToText(title, { wordwrap: false }), text: text.trim(), isCut: read.length < html.length };
}

function boundedHtml(html: string): string {
  const beginning = html.slice(0, MAX_CHARACTERS);
  let [opened, all] = [0, 0];
  for (const { index, 0: tag } of beginning.matchAll(/<[a-z/]/gi)) {
    all += 1;
    if (tag !== '</') opened += 1;
    if (opened > MAX_OPENED_TAGS || all > MAX_TAGS) return beginning.slice(0, index);
  }
  return beginning;
}

/** By the charset that the server or the page names; UTF-8 where it names none that is known. */
export function decodedText(bytes: Uint8Array, charset: string | undefined): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  for (const label of [charset, META_CHARSET.exec(head)?.[1], 'utf-8']) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // Not a name that is known.
    }
  }
  return '';
}
