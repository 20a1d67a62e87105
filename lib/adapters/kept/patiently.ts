// Waiting for a session that another process writes to at this moment.
import { setTimeout as pause } from 'node:timers/promises';
import { isOllmError } from '../../errors/index.ts';

const PATIENT_TRIES = 200;
const PATIENT_PAUSE_MS = 50;

/** Waits while another process has the session: it releases it after a moment. */
export async function patiently<Result>(open: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      const isBusy = isOllmError(error, 'JOURNAL_LOCKED') || isOllmError(error, 'SESSION_EXISTS');
      if (!isBusy || tries >= PATIENT_TRIES) throw error;
      await pause(PATIENT_PAUSE_MS);
    }
  }
}
