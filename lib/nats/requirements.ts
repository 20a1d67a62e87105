// Requirements on the stream of a tenant and its two buckets, without which sessions are lost: on a disk, never
// dropped, and with the copies that the settings ask for. The names matter as much as the journals: without its name no
// journal is found.
import { OllmError } from '../errors/index.ts';
import type { StreamConfig, StreamInfo, Streams } from './client.ts';
import { asked, isStreamMissing } from './errors.ts';
import type { Layout } from './layout.ts';

interface ServerProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** Undefined if the server has no such stream. */
export async function infoOf(streams: Streams, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await streams.info(stream);
  } catch (error) {
    if (isStreamMissing(error)) return undefined;
    return asked('Cannot open the store', () => Promise.reject(error));
  }
}

/**
 * The stream of the journals, when it and the buckets can keep sessions.
 * @throws OllmError STORE_NOT_READY
 */
export async function requireStreams(streams: Streams, layout: Layout, replicas: number): Promise<StreamInfo> {
  const { stream, namesStream, objectsStream, tenant } = layout;
  const [journals, names, objects] = await Promise.all(
    [stream, namesStream, objectsStream].map((name) => infoOf(streams, name)),
  );
  if (!journals) {
    throw new OllmError('STORE_NOT_READY', `The server has no stream ${stream}: nothing is prepared for ${tenant}.`, {
      hint: 'Prepare it once, while "store" names this address and tenant, with: ollm store prepare',
      data: { stream },
    });
  }
  if (!names) throw areNamesLost(journals) ? namesLost(layout) : bucketMissing(namesStream);
  if (!objects) throw bucketMissing(objectsStream);
  const found = [
    ...problemsOf(journals, layout, replicas).map((each) => ({ ...each, name: stream })),
    ...problemsOfBucket(names, replicas).map((each) => ({ ...each, name: namesStream })),
    ...problemsOfBucket(objects, replicas).map((each) => ({ ...each, name: objectsStream })),
  ];
  for (const { name, problem, remedy } of found) {
    throw new OllmError('STORE_NOT_READY', `The stream ${name} ${problem}.`, { hint: remedy, data: { stream: name } });
  }
  return journals;
}

/** Whether there are journals, so that a bucket of names that is not there was there once. */
export function areNamesLost(journals: StreamInfo | undefined): boolean {
  return (journals?.state.messages ?? 0) > 0;
}

export function namesLost({ stream, namesStream }: Layout): OllmError {
  return new OllmError(
    'STORE_NOT_READY',
    `The names are gone: ${stream} has journals, and there is no ${namesStream}.`,
    {
      hint: `Nothing was changed. Bring ${namesStream} back from a copy, with "nats stream restore": an empty one would make every journal look like a leftover.`,
      data: { stream: namesStream },
    },
  );
}

function bucketMissing(name: string): OllmError {
  return new OllmError('STORE_NOT_READY', `The server has no stream ${name}, which the store needs.`, {
    hint: 'Bring it back from a copy, with "nats stream restore", or make an empty one with: ollm store prepare',
    data: { stream: name },
  });
}

/** Why a stream cannot keep journals, with what to do. */
export function problemsOf({ config }: StreamInfo, { allSubjects }: Layout, replicas: number): ServerProblem[] {
  const problems = problemsOfKeeping(config, replicas);
  if (!config.subjects.includes(allSubjects)) {
    problems.push({ problem: `does not take ${allSubjects}`, remedy: edit(config, `--subjects '${allSubjects}'`) });
  }
  if (config.max_msgs_per_subject > 0) {
    problems.push({ problem: 'drops messages of long sessions', remedy: edit(config, '--max-msgs-per-subject=-1') });
  }
  return problems;
}

/** Why a bucket cannot keep names or attachments, with what to do. */
export function problemsOfBucket({ config }: StreamInfo, replicas: number): ServerProblem[] {
  return problemsOfKeeping(config, replicas);
}

function problemsOfKeeping(config: StreamConfig, replicas: number): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (config.storage !== 'file') {
    const remedy = 'Make another one with file storage: this one is gone when its server ends.';
    problems.push({ problem: 'is kept in memory', remedy });
  }
  if (config.discard !== 'new') {
    problems.push({ problem: 'drops its oldest messages when it is full', remedy: edit(config, '--discard=new') });
  }
  if (config.max_age > 0) {
    problems.push({ problem: 'drops messages by their age', remedy: edit(config, '--max-age=0') });
  }
  if (config.retention !== 'limits') {
    problems.push({ problem: 'drops what was read', remedy: 'Make another one with the retention "limits".' });
  }
  if (config.num_replicas < replicas) {
    const remedy = `${edit(config, `--replicas=${replicas}`)}, or lower nats.replicas.`;
    problems.push({ problem: `has ${config.num_replicas} of ${replicas} replicas`, remedy });
  }
  return problems;
}

function edit({ name }: StreamConfig, change: string): string {
  return `Change it with: nats stream edit ${name} ${change}`;
}
