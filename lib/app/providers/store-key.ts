// Stores the key of a provider: in the file that the settings name, else in that of the provider in the directory of
// ollm, which only the user can read. The key is in no answer, no message and no log.
import { dirname } from 'node:path';
import { OllmError } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { App } from '../app.ts';
import { keyFileOf } from './key-file.ts';
import { settingsOfProvider } from './provider-settings.ts';

interface StoredKey {
  readonly file: string;
  /** The variable that has a key too, which goes before that of the file. */
  readonly overruledBy?: string | undefined;
}

/** Providers that take no key. */
const WITHOUT_KEY: readonly string[] = ['offline', 'ollama'];

/**
 * The next request has it.
 *
 * @example
 * await storeKey(app, 'openai', 'sk-…'); // { file: '/home/ada/.ollm/keys/openai.key' }
 * @throws OllmError PROVIDER_UNKNOWN; PROVIDER_KEY: other users can change the file; IO_FAILED
 */
export async function storeKey(app: App, provider: string, key: string): Promise<StoredKey> {
  if (!app.providers.names.includes(provider) || WITHOUT_KEY.includes(provider)) {
    throw new OllmError('PROVIDER_UNKNOWN', `No provider ${JSON.stringify(provider)} takes a key.`, {
      hint: `There are: ${app.providers.names.filter((name) => !WITHOUT_KEY.includes(name)).join(', ')}.`,
      data: { provider },
    });
  }
  const { fileSystem, ids } = app;
  const named = keyFileOf(app, provider);
  const path = realPathOf(fileSystem, named) ?? named;
  const stat = fileSystem.stat(path);
  const problem = stat && ownershipProblem(stat, app.process.uid);
  if (problem !== undefined) {
    throw new OllmError('PROVIDER_KEY', `The key file ${named} ${problem.words}, and is not used.`, {
      hint: `Check it, and make it yours alone: chmod 600 ${named}`,
      data: { provider, file: named },
    });
  }
  try {
    await changeContent({ path, fileSystem, ids }, () => `${key}\n`, { isSynced: true });
  } catch (cause) {
    throw new OllmError('IO_FAILED', `${named} cannot be written: ${(cause as Error).message}`, {
      hint: `Check the permissions of ${dirname(named)}, and whether the disk has room.`,
      data: { provider, file: named },
      cause,
    });
  }
  const { apiKeyEnv } = settingsOfProvider(app.config, provider);
  const isOverruled = apiKeyEnv !== undefined && Boolean(app.env[apiKeyEnv]?.trim());
  return { file: named, ...(isOverruled && { overruledBy: apiKeyEnv }) };
}
