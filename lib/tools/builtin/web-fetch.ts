// Lets a model read a page of the web. Each host is decided on by the policy; a redirect to one that is not allowed is
// not followed, but reported, so that the next call asks. The result is text from outside, and instructs nothing.
import { excerpt } from '../../display/excerpt.ts';
import { formatBytes } from '../../display/quantities.ts';
import { type Tool, ToolFailure, type ToolOutput } from '../tool.ts';
import type { Page, Resolve } from '../web/get-page.ts';
import { builtinTool } from './builtin-tool.ts';
import { WEB_FETCH } from './names.ts';

/** How pages are reached. */
export interface WebPort {
  /** Hosts that may be on this machine or in a private network, by name or address. */
  readonly privateHosts: readonly string[];
  /** Whether the policy lets a page of this host be fetched unasked. */
  mayFetch(host: string): boolean;
  /** The address of a search that answers in the JSON of SearXNG. Without it there is no `web_search`. */
  readonly search?: string | undefined;
  /** Default: as the system has it. */
  readonly resolve?: Resolve | undefined;
}

const MAX_URL_CHARACTERS = 2000;
const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const ACCEPT = 'text/html,text/markdown,text/plain,application/json;q=0.9,application/xml;q=0.8,*/*;q=0.1';
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)$|application\/x-(?:yaml|ndjson)$)/;

export function webFetchTool(web: WebPort): Tool {
  return builtinTool({
    name: WEB_FETCH,
    description:
      'Reads one page of the web by its address, as text: documentation, an issue, a file. It sends no cookies and no keys, and runs no script. The user decides on each host. Never put secrets or content of the project into an address.',
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_URL_CHARACTERS,
        description: 'The address, with http:// or https:// at its beginning.',
      },
    },
    required: ['url'],
    examples: [{ url: 'https://example.org/guide' }],
    async plan(args) {
      const url = addressOf((args as { readonly url: string }).url);
      return {
        action: {
          tool: WEB_FETCH,
          summary: `Fetch ${url.href}`,
          isReadOnly: true,
          accesses: [],
          web: { host: url.host },
        },
        run: ({ signal }) => fetchPage(url, web, signal),
      };
    },
  });
}

/** @throws ToolFailure with the fault of the arguments */
function addressOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new ToolFailure(`${excerpt(text)} is not an address. Example: https://example.org/guide`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new ToolFailure(`Only http and https are fetched, not ${excerpt(url.protocol)}`);
  if (url.username !== '' || url.password !== '')
    throw new ToolFailure('An address with a user name or a password is not fetched. Leave them out.');
  url.hash = '';
  // As names are compared in the rules.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** Whether the settings of the user let it be on this machine, or in a private network. */
function isPrivateHost({ privateHosts }: Pick<WebPort, 'privateHosts'>, { host, hostname }: URL): boolean {
  return privateHosts.some((name) => name.toLowerCase() === host || name.toLowerCase() === hostname);
}

async function fetchPage(first: URL, web: WebPort, signal: AbortSignal): Promise<ToolOutput> {
  const { getPage } = await import('../web/get-page.ts');
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const page = await getPage(url, {
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      accept: ACCEPT,
      mayBePrivate: isPrivateHost(web, url),
      resolve: web.resolve,
    });
    if (!REDIRECTS.has(page.status) || page.location === undefined) return outputOf(page, url);
    const next = addressOf(URL.parse(page.location, url.href)?.href ?? page.location);
    const isLessSafe = url.protocol === 'https:' && next.protocol === 'http:';
    if (isLessSafe || (next.host !== url.host && !web.mayFetch(next.host)))
      return { status: 'error', content: `It leads elsewhere: ${next.href}\nFetch that address if it is wanted.` };
    url = next;
  }
  throw new ToolFailure(`${first.host} leads from one address to the next, more than ${MAX_REDIRECTS} times.`);
}

async function outputOf(page: Page, url: URL): Promise<ToolOutput> {
  const { status, mediaType, charset, body, isCut } = page;
  const isOk = status >= 200 && status < 300;
  const head = `${url.href} (${status}${mediaType === '' ? '' : `, ${mediaType}`})`;
  const { readablePage, decodedText } = await import('../web/readable.ts');
  const isHtml = mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
  if (!isHtml && mediaType !== '' && !TEXT.test(mediaType)) {
    return {
      status: 'error',
      content: `${head}\nThis is not text: ${formatBytes(body.length)}${isCut ? ' and more' : ''}.`,
    };
  }
  const text = decodedText(body, charset);
  const read = isHtml ? readablePage(text, url) : { title: '', text, isCut: false };
  const title = read.title === '' ? '' : `\n${read.title}`;
  const rest = isCut || read.isCut ? '\n\n[The page is longer. This is its beginning.]' : '';
  const content = read.text.trim() === '' ? 'It holds no text that can be read without running scripts.' : read.text;
  return { content: `${head}${title}\n\n${content}${rest}`, ...(isOk ? {} : { status: 'error' }) };
}
