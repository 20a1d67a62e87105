// Where Ollama listens. Reads the forms that OLLAMA_HOST may take, with the ports that Ollama itself supplies:
// 11434 where no scheme is given, 80 and 443 with one. An address to listen on (0.0.0.0) becomes one to call.
import { shownAddress, userOf } from '../../environment/shown-words.ts';
import { READ_TWO_WAYS } from '../../environment/web-address.ts';
import { OllmError } from '../../errors/index.ts';

const DEFAULT_OLLAMA_PORT = 11434;
const ADDRESS =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?:(?<userinfo>[^/]*)@)?(?<authority>[^/]*)(?<path>\/[^?#]*)?/is;

export interface OllamaHost {
  /** Without a slash at its end and without credentials: fit to be shown. */
  readonly url: string;
  /** Carries the credentials that stood in the address. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * @throws OllmError CONFIG_INVALID
 * @example
 * parseOllamaHost('0.0.0.0').url         // 'http://127.0.0.1:11434'
 * parseOllamaHost('https://box/llm').url // 'https://box:443/llm'
 */
export function parseOllamaHost(value: string | undefined): OllamaHost {
  const text = (value ?? '')
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
  const { scheme, userinfo, authority = '', path = '' } = ADDRESS.exec(text)?.groups ?? {};
  const meant = userOf(text);
  if (/[\\/]/.test(meant)) throw invalid(text, READ_TWO_WAYS);
  if (userinfo === undefined && meant !== '') throw invalid(text, 'it is not an address');
  const protocol = scheme?.toLowerCase() ?? 'http';
  if (protocol !== 'http' && protocol !== 'https') throw invalid(text, 'only http and https addresses are known');
  const { host, port } = splitPort(authority);
  const usualPort = scheme === undefined ? DEFAULT_OLLAMA_PORT : protocol === 'https' ? 443 : 80;
  const url = `${protocol}://${callable(host)}:${isPort(port) ? Number(port) : usualPort}${path.replace(/\/+$/, '')}`;
  if (!URL.canParse(url)) throw invalid(text, 'it is not an address');
  return { url, headers: userinfo === undefined ? {} : { Authorization: basic(userinfo) } };
}

/** Several colons without brackets are an IPv6 address by itself. */
function splitPort(hostAndPort: string): { host: string; port: string } {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::([^:]*))?$/.exec(hostAndPort) ?? [];
  return { host: bracketed ?? plain ?? hostAndPort, port };
}

function callable(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function isPort(port: string): boolean {
  return /^\d{1,5}$/.test(port) && Number(port) <= 65535;
}

function basic(userinfo: string): string {
  return `Basic ${Buffer.from(percentDecoded(userinfo), 'utf8').toString('base64')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(text: string, reason: string): OllmError {
  return new OllmError(
    'CONFIG_INVALID',
    `The address of Ollama, ${JSON.stringify(shownAddress(text))}, cannot be used: ${reason}.`,
    {
      hint: 'Set OLLAMA_HOST, or the host of the ollama provider, to something like 127.0.0.1:11434 or https://box.example/.',
    },
  );
}
