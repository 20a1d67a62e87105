// Why no server could be connected to, and what to do: no server is there, it does not let us in, or one of the two
// certificates does not do.
import { OllmError } from '../errors/index.ts';

/**
 * OpenSSL's errors, as Node names them: the certificate of the server could not be checked, or belongs to another
 * server.
 */
const UNTRUSTED = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA|ERR_TLS_CERT_)/;
const OWN_CERTIFICATE = /^ERR_(?:OSSL|SSL|TLS|CRYPTO)_/;
const REFUSALS = ['AuthorizationError', 'UserAuthenticationExpiredError'];

interface ServerPlace {
  readonly servers: readonly string[];
  readonly credentials?: object | undefined;
  readonly tls?: { readonly ca?: string; readonly cert?: string } | undefined;
}

/** What an error of the client's `connect` means, in the user's words. */
export function connectingError({ servers, credentials, tls }: ServerPlace, error: unknown): OllmError {
  const where = servers.join(', ');
  const { name, message } = error as Error;
  const options = (hint: string) => ({ hint, data: { servers }, cause: error });
  const unreachable = (what: string, hint: string) =>
    new OllmError('STORE_UNREACHABLE', `${what} at ${where}: ${message}.`, options(hint));

  if (REFUSALS.includes(name)) {
    const hint =
      credentials === undefined
        ? 'It wants credentials: name a file with them in nats.credentialsFile. docs/many-machines.md says which.'
        : 'Check the file that nats.credentialsFile names: it may be of another server or user, or have run out.';
    return new OllmError('STORE_REFUSED', `The server at ${where} does not let us in: ${message}.`, options(hint));
  }
  const code = codeOf(error);
  if (UNTRUSTED.test(code)) {
    const hint =
      tls?.ca === undefined
        ? 'Name the certificate of its authority, as PEM, in nats.caFile.'
        : 'Check that nats.caFile is of the authority that signed it, and that it is made for this name or address.';
    return unreachable('The certificate of the server cannot be trusted', hint);
  }
  if (OWN_CERTIFICATE.test(code)) {
    return unreachable(
      'No encrypted connection could be made',
      'Check nats.certFile and nats.keyFile: both are PEM, and the key is the one of the certificate.',
    );
  }
  if (/does not support 'tls'/.test(message)) {
    return unreachable('There is no encryption', 'Write nats:// in place of tls://, or set up tls on the server.');
  }
  if (name === 'TimeoutError' && tls !== undefined && tls.cert === undefined) {
    return unreachable(
      'The server does not answer',
      'It may want a certificate of ollm: name one in nats.certFile and nats.keyFile. Or check the address in "store".',
    );
  }
  return unreachable(
    'No server answers',
    'Start one with "nats-server -a 127.0.0.1 -js -sd FOLDER", or check the address in "store". docs/many-machines.md says how.',
  );
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return String(code ?? cause?.code ?? '');
}
