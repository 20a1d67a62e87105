// Keeps the grants and denials of a project in a file of its own under the user's home, `grants/<hash of the
// root>.json`: out of reach of the project, of tools and of journals. It is read for each decision, so that a grant
// that was taken back ends in every process. A file that cannot be trusted grants nothing.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { isSystemError, OllmError, systemErrorCode } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { readOwnFile } from '../../platform/files/own-file.ts';
import {
  createSessionGrants,
  type Grant,
  type GrantBook,
  type GrantStore,
  ruleIn,
  withDenial,
  withGrant,
  withoutNumber,
} from '../../tools/policy/grants.ts';
import type { App } from '../app.ts';

interface GrantsDocument extends GrantBook {
  readonly format: 1;
  readonly root: string;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_GRANTS = 1000;

interface GrantsPlace extends Pick<App, 'mode' | 'fileSystem' | 'ids' | 'clock'> {
  readonly paths: Pick<App['paths'], 'home' | 'project'>;
  readonly process: Pick<App['process'], 'uid'>;
}

/**
 * The user's permanent grants in this project. In ephemeral mode: those of this run.
 *
 * @example
 * openGrants(app).list(); // [{ number: 1, rule: 'bash(npm test)', grantedAt: '2026-11-22T10:00:00.000Z' }]
 */
export function openGrants({ mode, paths, fileSystem, ids, clock, process }: GrantsPlace): GrantStore {
  if (mode === 'ephemeral') return createSessionGrants(() => clock.now());
  // A project has the same grants through any link.
  const root = realPathOf(fileSystem, paths.project) ?? paths.project;
  const path = join(paths.home, 'grants', `${hash('sha256', root, 'hex').slice(0, 32)}.json`);
  const empty: GrantsDocument = { format: 1, root, last: 0, grants: [], denials: [] };
  const now = () => new Date(clock.now()).toISOString();

  /** The stored document, or why it cannot be used. */
  function read(): GrantsDocument | { readonly problem: string } {
    try {
      const file = readOwnFile(fileSystem, path, { uid: process.uid, maxBytes: MAX_FILE_BYTES });
      if (file.kind === 'untrusted') return { problem: `it ${file.problem}` };
      if (file.kind === 'absent' || file.content.length === 0) return empty;
      return checkDocument(JSON.parse(Buffer.from(file.content).toString()), root);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return empty;
      return { problem: error instanceof SyntaxError ? 'it is not JSON' : `${(error as Error).message}` };
    }
  }

  /** The new document, and whether it differs from the old one. */
  async function change(
    edit: (book: GrantBook) => GrantBook,
  ): Promise<{ readonly book: GrantBook; readonly isChanged: boolean }> {
    let book: GrantBook = empty;
    const editedText = () => {
      const document = read();
      if ('problem' in document) throw unusable(path, document.problem);
      book = edit(document);
      if (book === document) return undefined;
      if (book.grants.length + book.denials.length > MAX_GRANTS)
        throw unusable(path, `it holds ${MAX_GRANTS} grants, and more are not kept`);
      return `${JSON.stringify({ format: 1, root, ...book }, undefined, 2)}\n`;
    };
    try {
      return { isChanged: await changeContent({ fileSystem, ids, path }, editedText), book };
    } catch (error) {
      throw isSystemError(error) ? unusable(path, (error as Error).message, error) : error;
    }
  }

  return {
    list() {
      const document = read();
      return 'problem' in document ? [] : document.grants;
    },
    denials() {
      const document = read();
      return 'problem' in document ? [] : document.denials;
    },
    problem() {
      const document = read();
      return 'problem' in document ? `Nothing is granted by ${path}: ${document.problem}.` : undefined;
    },
    add: async (rule) => ruleIn((await change((book) => withGrant(book, rule, now()))).book.grants, rule)!,
    deny: async (rule) => ruleIn((await change((book) => withDenial(book, rule, now()))).book.denials, rule)!,
    revoke: async (number) => (await change((book) => withoutNumber(book, number))).isChanged,
  };
}

function checkDocument(value: unknown, root: string): GrantsDocument | { readonly problem: string } {
  const document = (value ?? {}) as Partial<Record<keyof GrantsDocument, unknown>>;
  // A file of an older version has no denials.
  const { format, root: of, last, grants, denials = [] } = document;
  if (format !== 1) return { problem: 'it is of another format' };
  if (of !== root) return { problem: 'it is about another project' };
  if (!Number.isSafeInteger(last) || !areGrants(grants) || !areGrants(denials)) return { problem: 'it is damaged' };
  const numbers = [...grants, ...denials].map(({ number }) => number);
  return { format, root, last: Math.max(last as number, ...numbers), grants, denials };
}

function areGrants(value: unknown): value is readonly Grant[] {
  return Array.isArray(value) && value.every(isGrant);
}

function isGrant(value: unknown): value is Grant {
  const { number, rule, grantedAt } = (value ?? {}) as Partial<Record<keyof Grant, unknown>>;
  return Number.isSafeInteger(number) && typeof rule === 'string' && typeof grantedAt === 'string';
}

function unusable(path: string, problem: string, cause?: unknown): OllmError {
  return new OllmError('GRANTS_UNUSABLE', `The grants in ${path} cannot be changed: ${problem}.`, {
    hint: 'What was approved once runs once. Correct the file, or delete it: then nothing is granted.',
    data: { path },
    cause,
  });
}
