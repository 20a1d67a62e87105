// What the settings say about every session that is opened.
import type { SessionOptions } from '../../session/create.ts';
import type { App } from '../app.ts';

export function sessionOptions({ config, log }: Pick<App, 'config' | 'log'>): SessionOptions {
  const { session, loopDetection } = config.services;
  const { maxTurns, repeatThreshold } = loopDetection;
  return { log, policy: session.durability, loop: { maxTurns, repeatThreshold } };
}
