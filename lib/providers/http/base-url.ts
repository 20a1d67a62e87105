// Allowed addresses of a provider's API: https anywhere, plain http only on this machine, since a key and a
// conversation go there. Such an address must hold no credentials, and error messages about it do not quote them.
import { shownAddress } from '../../environment/shown-words.ts';
import { webAddress } from '../../environment/web-address.ts';
import { OllmError } from '../../errors/index.ts';

/**
 * The address without a slash at its end.
 *
 * @example
 * parseBaseUrl('http://127.0.0.1:8080/v1/', 'providers.openai.baseUrl') // 'http://127.0.0.1:8080/v1'
 * @param setting the name of the setting that it comes from, for the message
 * @throws OllmError CONFIG_INVALID
 */
export function parseBaseUrl(value: string, setting: string): string {
  const url = webAddress(value);
  if (typeof url === 'string') throw invalid(setting, value, url);
  if (url.protocol === 'http:' && !isThisMachine(url.hostname))
    throw invalid(setting, value, 'the key and the conversation would go over the network in the open');
  if (url.search !== '' || url.hash !== '') throw invalid(setting, value, 'it continues with "?" or "#"');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Names that only ever mean the machine itself. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function invalid(setting: string, value: string, reason: string): OllmError {
  return new OllmError(
    'CONFIG_INVALID',
    `The address in ${setting}, ${JSON.stringify(shownAddress(value))}, cannot be used: ${reason}.`,
    {
      hint: 'Use https://…, or http:// with 127.0.0.1, localhost or [::1] for a server on this machine.',
      data: { setting },
    },
  );
}
