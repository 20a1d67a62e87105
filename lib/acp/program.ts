// The agent of an editor as a program of its own: an app, and the protocol that leads its sessions.
import { createApp } from '../app/compose.ts';
import type { SettingsOptions } from '../app/start/settings.ts';
import { serveAcp } from './serve.ts';

/** @throws OllmError as `createApp` */
export async function runAcp(options: SettingsOptions, streams: Parameters<typeof serveAcp>[2]): Promise<void> {
  const app = await createApp({ ...options, parts: { askPassphrase: () => undefined } });
  try {
    await serveAcp(app, options, streams);
  } finally {
    await app.close();
  }
}
