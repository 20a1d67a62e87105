// Signs the requests to Amazon that the vendor's package does not make: lists and counts. The signer is the one that
// the package itself uses.
import { AwsV4Signer } from 'aws4fetch';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface ToSign {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** The headers that prove who asks. */
export async function signAws(
  { now, body, ...request }: ToSign,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Promise<Readonly<Record<string, string>>> {
  const { headers } = await new AwsV4Signer({
    ...request,
    ...(body !== '' && { body }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    datetime: now.toISOString().replace(/[-:]|\.\d+/g, ''),
  }).sign();
  return Object.fromEntries(headers);
}
