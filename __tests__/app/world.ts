// An app over a disk in memory, with a clock moved by hand and a scripted provider in place of the offline one.
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../lib/app/compose.ts';
import type { Conversation } from '../../lib/app/conversation.ts';
import type { ConfigFlags } from '../../lib/config/types.ts';
import { ask } from '../../lib/lead/ask.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { type Script, says, scriptedProvider } from '../support/scripted-provider.ts';

export interface WorldOptions {
  readonly script?: Script;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: ConfigFlags;
}

export const SESSIONS = '/home/me/.ollm/session-data';

export async function appWorld({
  script = () => says('ok'),
  env = {},
  flags = { provider: 'offline' },
}: WorldOptions = {}) {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  fileSystem.makeDirectory('/home/me/project');
  // It was there before we came: a power cut does not take it away.
  for (const directory of ['/', '/home', '/home/me']) await fileSystem.syncDirectory(directory);
  const provider = { ...scriptedProvider(script), name: 'offline' };
  const ids = countingIds();
  /** A new process over the same disk. */
  const start = (more: Readonly<Record<string, string>> = {}) =>
    createApp({
      env: { HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', ...env, ...more },
      cwd: '/home/me/project',
      flags,
      command: 'test',
      parts: {
        fileSystem,
        clock,
        ids,
        process: thisProcess('test'),
        log: silentLog,
        providers: { offline: async () => provider },
      },
    });
  const app = await start();
  return { app, clock, fileSystem, provider, start };
}

export async function tell(app: Parameters<typeof ask>[0], conversation: Conversation, text: string) {
  return lastValueFrom(ask(app, conversation, { text }).pipe(toArray()));
}
