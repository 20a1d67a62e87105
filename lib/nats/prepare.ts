// Creates the parts of a store on the server: the stream of the journals, the bucket of names and the bucket of
// objects. Existing parts are left unchanged. If the names of journals are gone, no empty bucket replaces them.
import type { NatsClient, NatsConnection } from './client.ts';
import { requireVersion } from './connection.ts';
import { asked } from './errors.ts';
import type { Layout } from './layout.ts';
import { areNamesLost, infoOf, namesLost } from './requirements.ts';

/**
 * @throws OllmError STORE_NOT_READY (the server is too old, or the names are gone), STORE_UNREACHABLE, STORE_REFUSED
 */
export async function prepareStore(
  client: NatsClient,
  connection: NatsConnection,
  layout: Layout,
  { replicas = 1 }: { readonly replicas?: number | undefined } = {},
): Promise<{ readonly made: boolean }> {
  requireVersion(connection);
  return asked('Cannot prepare the store', async () => {
    const { streams } = await client.manager(connection);
    const js = client.jetstream(connection);
    const journals = await infoOf(streams, layout.stream);
    if (areNamesLost(journals) && !(await infoOf(streams, layout.namesStream))) throw namesLost(layout);
    const options = { replicas, storage: 'file' };
    await client.createBucket(js, layout.bucket, { ...options, history: 1 });
    await client.createObjects(js, layout.objects, options);
    // Last: a store is there once its stream is.
    if (!journals) {
      await streams.add({
        name: layout.stream,
        subjects: [layout.allSubjects],
        storage: 'file',
        retention: 'limits',
        // A full stream refuses; it never drops messages.
        discard: 'new',
        num_replicas: replicas,
        deny_delete: true,
        allow_direct: false,
      });
    }
    return { made: !journals };
  });
}
