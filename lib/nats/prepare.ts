// Makes what a store needs on the server: the stream of the journals, the bucket of names and the bucket of objects.
// What is there already is left as it is.
import type { Client, Connection } from './client.ts';
import { requireVersion } from './connection.ts';
import { asked, isStreamMissing } from './errors.ts';
import type { Layout } from './layout.ts';

/** @throws OllmError STORE_NOT_READY (the server is too old), STORE_UNREACHABLE, STORE_REFUSED */
export async function prepareStore(
  client: Client,
  connection: Connection,
  layout: Layout,
  { replicas = 1 }: { readonly replicas?: number | undefined } = {},
): Promise<{ readonly made: boolean }> {
  requireVersion(connection);
  return asked('Cannot prepare the store', async () => {
    const { streams } = await client.manager(connection);
    const js = client.jetstream(connection);
    const isThere = await streams.info(layout.stream).then(
      () => true,
      (error: unknown) => {
        if (isStreamMissing(error)) return false;
        throw error;
      },
    );
    const options = { replicas, storage: 'file' };
    await client.createBucket(js, layout.bucket, { ...options, history: 1 });
    await client.createObjects(js, layout.objects, options);
    // Last: a store is there once its stream is.
    if (!isThere) {
      await streams.add({
        name: layout.stream,
        subjects: [layout.allSubjects],
        storage: 'file',
        retention: 'limits',
        // A stream that is full refuses; it never drops what is there.
        discard: 'new',
        num_replicas: replicas,
        deny_delete: true,
        allow_direct: false,
      });
    }
    return { made: !isThere };
  });
}
