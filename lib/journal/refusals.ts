// The refusals that every store gives in the same words: that of a directory and that on servers.
import { OllmError } from '../errors/index.ts';

/** A journal in words: its session, and the place that people are told. */
export interface JournalFile {
  readonly id: string;
  readonly path: string;
}

export function notFound({ id, path }: JournalFile): OllmError {
  return new OllmError('SESSION_NOT_FOUND', `There is no session ${id}.`, {
    hint: '"ollm list" shows the sessions.',
    data: { id, path },
  });
}

export function existsError({ id, path }: JournalFile): OllmError {
  return new OllmError('SESSION_EXISTS', `Session ${id} exists already.`, {
    hint: `Continue it with "ollm repl --resume ${id}", or choose another name.`,
    data: { id, path },
  });
}

/** A session of the trash cannot be restored over another one. */
export function isThereAgain(id: string): OllmError {
  return new OllmError(
    'SESSION_EXISTS',
    `There is a session ${id} again: the one in the trash cannot take its place.`,
    {
      hint: 'Delete or rename the one that is there, then restore again. The trash keeps both.',
      data: { id },
    },
  );
}

export function notInTrash(name: string): OllmError {
  return new OllmError('TRASH_NOT_FOUND', `The trash holds no session ${JSON.stringify(name)}.`, {
    hint: '"ollm restore" without an id shows what there is.',
    data: { name },
  });
}
