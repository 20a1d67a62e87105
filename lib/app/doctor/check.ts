// A line of `ollm doctor`: the subject, whether it is in order, and if not, what to do.
import { isOllmError } from '../../errors/index.ts';

export interface Check extends DoctorFinding {
  readonly name: string;
}

/** What a check found. */
export interface DoctorFinding {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to do, where something is to be done. */
  readonly remedy?: string | undefined;
}

/** A fault that a check met. @throws `error`, if it is of another kind */
export function fault(error: unknown, remedy?: string): DoctorFinding {
  if (isOllmError(error)) return fail(error.message, error.hint ?? remedy);
  throw error;
}

export const ok = (text: string): DoctorFinding => ({ status: 'ok', text });
export const warn = (text: string, remedy: string | undefined): DoctorFinding => ({ status: 'warn', text, remedy });
export const fail = (text: string, remedy: string | undefined): DoctorFinding => ({ status: 'fail', text, remedy });
