// The checks of `ollm doctor` on a store on servers: reachability, whether it keeps acknowledged events, the number of
// copies, and leftovers of crashes.
import { countOf, formatBytes } from '../../display/quantities.ts';
import { shownAddress } from '../../environment/shown-words.ts';
import { webAddress } from '../../environment/web-address.ts';
import type { StoreReport } from '../../nats/care.ts';
import type { StoreOnServers } from '../../nats/nats-store.ts';
import { isObject } from '../../platform/json.ts';
import type { App } from '../app.ts';
import { type Check, type DoctorFinding, fail, fault, ok, warn } from './check.ts';

const MONITOR_MS = 3_000;

export async function* checkStore(app: App, servers: StoreOnServers): AsyncGenerator<Check, void, void> {
  let report: StoreReport;
  try {
    report = await servers.report();
    const sessions = (await servers.list()).length;
    const text = `${servers.location}: nats-server ${report.version}, ${countOf(sessions, 'session')}`;
    yield { name: 'store', ...ok(text) };
  } catch (error) {
    yield { name: 'store', ...fault(error) };
    return;
  }
  if (report.isPasswordOpen) {
    const remedy = 'Set up tls on the server and write tls:// in "store", or use an nkey or a credentials file.';
    yield { name: 'encryption', ...warn('the password or token goes over the network unencrypted', remedy) };
  }
  yield { name: 'replicas', ...checkReplicas(report) };
  yield { name: 'power cut', ...(await checkSyncing(app, report)) };
  yield { name: 'leftovers', ...(await checkUnnamed(servers)) };
}

/** A session is kept as well as the least kept of its journal, its name and its attachments. */
function checkReplicas({ streams }: StoreReport): DoctorFinding {
  const most = Math.max(...streams.map(({ replicas }) => replicas));
  const fewer = streams.filter(({ replicas }) => replicas === 1 || replicas < most);
  if (fewer.length > 0) {
    const commands = fewer.map(({ name }) => `nats stream edit ${name} --replicas=${most === 1 ? 3 : most}`).join('; ');
    if (most === 1) return warn('one copy: its disk is all there is', `With three servers: ${commands}`);
    const copies = fewer.map(({ name, replicas }) => `${replicas} of ${name}`).join(', ');
    return fail(`${most} copies of some, but ${copies}: a lost disk may take sessions`, commands);
  }
  const behind = Math.max(...streams.map((each) => each.behind));
  if (behind === 0) return ok(`${most} copies`);
  const text = `${behind} of ${most} copies ${behind === 1 ? 'is' : 'are'} behind or away`;
  return warn(text, 'Start the server that is away.');
}

/** A client is not told how often a server syncs: its monitoring port says so. */
async function checkSyncing({ config }: App, { streams }: StoreReport): Promise<DoctorFinding> {
  const addresses = (config.nats.monitor ?? '').split(',').flatMap((each) => each.trim() || []);
  if (addresses.length === 0) {
    return warn('how often the servers sync is not known', 'Name the monitoring port of each in nats.monitor.');
  }
  const syncing = new Map<string, Syncing>();
  for (const address of addresses) {
    try {
      const { server, ...says } = await syncingOf(address);
      syncing.set(server, says);
    } catch (error) {
      return warn(
        `${shownAddress(address)} does not answer: ${(error as Error).message}`,
        'Check nats.monitor, and http_port there.',
      );
    }
  }
  const replicas = Math.max(...streams.map((each) => each.replicas));
  const lazy = [...syncing.values()].filter(({ isAlways }) => !isAlways);
  if (lazy.length > 0) {
    const remedy = 'Set "sync_interval: always" in the jetstream block of each server, where that must not be.';
    const everyMs = Math.max(...lazy.map((each) => each.everyMs ?? 0));
    const often = everyMs === 0 ? '' : `: they sync each ${everyMs / 1000} s`;
    const which = replicas === 1 ? 'the server' : 'all servers at the same time';
    return warn(`a power cut of ${which} may take acknowledged events${often}`, remedy);
  }
  if (syncing.size >= replicas) return ok('each acknowledged event is on the disks');
  const text = `${syncing.size} of ${replicas} servers ${syncing.size === 1 ? 'syncs' : 'sync'} each acknowledged event; the others were not asked`;
  return warn(text, 'Name the monitoring ports of all servers in nats.monitor, with commas between them.');
}

interface Syncing {
  readonly isAlways: boolean;
  readonly everyMs: number | undefined;
}

async function syncingOf(address: string): Promise<Syncing & { readonly server: string }> {
  const port = webAddress(address);
  if (typeof port === 'string') throw new Error(port);
  const signal = AbortSignal.timeout(MONITOR_MS);
  const answer: unknown = await (await fetch(new URL('/jsz', port), { signal })).json();
  const { server_id: server, config } = isObject(answer) ? answer : {};
  const settings = isObject(config) ? config : {};
  const { sync_always: always, sync_interval: everyNs } = settings;
  return {
    server: typeof server === 'string' ? server : address,
    isAlways: always === true,
    everyMs: typeof everyNs === 'number' ? everyNs / 1e6 : undefined,
  };
}

async function checkUnnamed(servers: StoreOnServers): Promise<DoctorFinding> {
  const unnamed = await servers.unnamed();
  if (unnamed.length === 0) return ok('none');
  const problem = await servers.problemOfNames();
  if (problem !== undefined) {
    const remedy =
      'Bring the bucket of names back from a copy, with "nats stream restore", before anything is removed.';
    return fail(`${countOf(unnamed.length, 'generation')} without a name. ${problem}`, remedy);
  }
  const bytes = unnamed.reduce((sum, each) => sum + each.bytes, 0);
  const text = `${countOf(unnamed.length, 'generation')} without a name (${formatBytes(bytes)}), of crashes or being made`;
  return warn(text, 'Remove those of crashes, while no session is made, with: ollm store sweep');
}
