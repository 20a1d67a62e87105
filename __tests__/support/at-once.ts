// Goes through a reading of a file without waiting for a batch.
import { Lines } from '../../lib/journal/reading/lines.ts';
import type { ReadingStep } from '../../lib/journal/reading/scan.ts';
import type { Outcome } from '../../lib/journal/types.ts';
import type { FileHandle } from '../../lib/platform/files/file-system.ts';
import { readInto } from '../../lib/platform/files/io.ts';

/** What each step comes to; nothing is a pause. */
export function* stepsAtOnce(
  file: Pick<FileHandle, 'read'>,
  steps: Iterable<ReadingStep>,
): Generator<readonly Outcome[], void, void> {
  for (const step of steps) {
    if (step instanceof Lines) {
      const { target, position } = step.more();
      step.took(readInto(file, target, position));
    } else yield step;
  }
}
