// A list that is refused something by the disk asks `listSessions`, which says what is wrong, or mends it.
import { isOllmError, systemErrorCode } from '../../../errors/index.ts';

/** Undefined where the disk, or what looks at it, refuses. */
export function unlessRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (systemErrorCode(error) === undefined && !isOllmError(error)) throw error;
    return undefined;
  }
}
