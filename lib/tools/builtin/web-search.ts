// Lets a model search the web, by the one server that the user's settings name. The request is that of SearXNG, for
// which adapters to other searches exist. The result is text from outside, and instructs nothing.
import { sanitizeLine } from '../../display/sanitize.ts';
import { webAddress } from '../../environment/web-address.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool, limitOf } from './builtin-tool.ts';
import { WEB_SEARCH } from './names.ts';
import type { WebPort } from './web-fetch.ts';

const LIMIT = { standard: 8, maximum: 20 };
const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_EXCERPT_CHARACTERS = 500;

export function webSearchTool(web: WebPort, search: string): Tool {
  return builtinTool({
    name: WEB_SEARCH,
    description:
      'Searches the web and returns titles, addresses and excerpts; read a page with web_fetch. Never put secrets or content of the project into a query.',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 400, description: 'What to look for, in a few words.' },
      limit: limitOf('pages found', LIMIT),
    },
    required: ['query'],
    examples: [{ query: 'node 24 require esm' }],
    async plan({ query, limit = LIMIT.standard }) {
      const url = webAddress(search, { mayHoldUser: true });
      if (typeof url === 'string')
        throw new ToolFailure(`The user has to correct the address in tools.web.search: ${url}.`);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      return {
        action: {
          tool: WEB_SEARCH,
          summary: `Search the web for ${JSON.stringify(query)}`,
          isReadOnly: true,
          accesses: [],
          web: { host: url.host, isNamedByUser: true },
        },
        async run({ signal }) {
          const { getPage } = await import('../web/get-page.ts');
          const { status, body } = await getPage(url, {
            signal,
            timeoutMs: TIMEOUT_MS,
            maxBytes: MAX_BYTES,
            accept: 'application/json',
            // The user named it.
            mayBePrivate: true,
            resolve: web.resolve,
          });
          if (status !== 200) throw new ToolFailure(`The search at ${url.host} answered ${status}.`);
          return { content: found(parseJson(new TextDecoder().decode(body)), { query, limit, host: url.host }) };
        },
      };
    },
  });
}

interface Search {
  readonly query: string;
  readonly limit: number;
  readonly host: string;
}

function found(answer: unknown, { query, limit, host }: Search): string {
  if (!isObject(answer) || !Array.isArray(answer.results))
    throw new ToolFailure(`The search at ${host} did not answer in the JSON of SearXNG, with “results”.`);
  const pages = answer.results.filter(isObject).flatMap(({ title, url, content }) => {
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return [];
    const lines = [title, url, typeof content === 'string' ? content.slice(0, MAX_EXCERPT_CHARACTERS) : ''];
    return [
      lines
        .map((line) => (typeof line === 'string' ? sanitizeLine(line).trim() : ''))
        .filter(Boolean)
        .join('\n'),
    ];
  });
  if (pages.length === 0) return `Nothing was found for ${JSON.stringify(query)}. Try other words.`;
  return pages.slice(0, limit).join('\n\n');
}
