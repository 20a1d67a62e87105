// Signs a request to Amazon the way AWS Signature Version 4 asks for. Pure: the time is handed in. The vendor's package
// signs the requests for answers by itself and nothing else; this is for lists and counts.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface ToSign {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** The headers that prove who asks. */
export function signAws(
  { url, method, body, region, service, now }: ToSign,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Readonly<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const signed: Record<string, string> = {
    host,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    method,
    pathname.split('/').map(encoded).join('/'),
    [...searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, step) => hmac(secret, step),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const { host: _, ...headers } = signed;
  const proof = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, Authorization: `AWS4-HMAC-SHA256 ${proof}` };
}

/** Every character but the unreserved ones of RFC 3986; a path that is encoded already is encoded once more. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
