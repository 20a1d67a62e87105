// A thread of `verify-crew.ts`. Opens the same store for itself. Nobody can be asked for a passphrase from here: a session
// that needs one goes back.
import { openFileStore } from '../../../journal/store/file-store.ts';
import { systemClock } from '../../../platform/clock.ts';
import { nodeFileSystem } from '../../../platform/files/node-file-system.ts';
import { systemIds } from '../../../platform/ids.ts';
import type { Log, LogLevel } from '../../../platform/log.ts';
import { thisProcess } from '../../../platform/processes/process-info.ts';
import { runAsThread } from '../../../platform/processes/worker-thread.ts';
import { sealingStore } from '../../../stores/sealing/sealing-store.ts';
import { createKeyring } from '../../../stores/sealing/unlock.ts';
import type { StoreElsewhere } from '../../app.ts';
import { type CrewFinding, type CrewOrder, type LogLine, MAX_WAITING_FINDINGS, take } from './verify-crew.ts';
import { examineSession, type VerifiedSession } from './verify-session.ts';

runAsThread<CrewOrder, CrewFinding>(async ({ store: place, options, ids, takenBy, waiting, member }, tell) => {
  const logged: LogLine[] = [];
  const store = openStore(place, (line) => logged.push(line));
  const examine = async (id: string): Promise<VerifiedSession | undefined> => {
    try {
      return await examineSession({ store }, id, options);
    } catch (error) {
      if (error instanceof NobodyToAsk) return undefined;
      throw error;
    }
  };
  for (const [place, id] of ids.entries()) {
    waitForRoom(waiting);
    if (!take(takenBy, place, member)) continue;
    const session = await examine(id);
    Atomics.add(waiting, 0, session?.findings.length ?? 0);
    tell({ place, session, logged: logged.splice(0) });
  }
});

/** What was told lies in the memory of the main thread until its turn comes. */
function waitForRoom(waiting: Int32Array): void {
  for (let count = Atomics.load(waiting, 0); count > MAX_WAITING_FINDINGS; count = Atomics.load(waiting, 0)) {
    Atomics.wait(waiting, 0, count);
  }
}

class NobodyToAsk extends Error {}

function openStore(
  { directory, allowNetworkFileSystem, keyFile, command }: StoreElsewhere,
  write: (line: LogLine) => void,
) {
  const ask = () => {
    throw new NobodyToAsk();
  };
  const fileSystem = nodeFileSystem;
  const ports = { fileSystem, clock: systemClock, ids: systemIds, process: thisProcess(command), log: logInto(write) };
  const onDisk = openFileStore(ports, { directory, allowNetworkFileSystem });
  return sealingStore(onDisk, { keyring: createKeyring({ fileSystem, keyFile, ask }), encryptNew: false });
}

/** What is written into it has to survive being copied to the other thread. */
function logInto(write: (line: LogLine) => void): Log {
  const at =
    (level: LogLevel): Log[LogLevel] =>
    ({ error, ...fields }, message) =>
      write({ level, fields: error === undefined ? fields : { ...fields, error: String(error) }, message });
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
