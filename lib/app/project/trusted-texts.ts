// Which texts of a project may instruct the model: the user's decision on each, by its place and its content, in a
// separate file for each project under the user's home, `trust/<hash of the root>.json`: out of reach of the project,
// of tools and of journals. A changed text needs a new decision. A file that another user could have written trusts
// nothing.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { isSystemError, OllmError, unless } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { readOwnFile } from '../../platform/files/own-file.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import type { App, TextDecision } from '../app.ts';

/** A text, as it was shown to the user. */
export type DecidedText = Pick<TextDecision, 'path' | 'sha256'>;

export interface TrustedTexts {
  /** The user's decision on this content at this place; undefined: none yet. */
  isTrusted(text: DecidedText): boolean | undefined;
  /** @throws OllmError IO_FAILED: it cannot be kept */
  decide(texts: readonly DecidedText[], trusted: boolean): Promise<void>;
}

type TrustPlace = Pick<App, 'mode' | 'paths' | 'fileSystem' | 'ids' | 'clock' | 'process' | 'decisions'>;

const FORMAT = 1;
const MAX_FILE_BYTES = 1024 * 1024;
/** Older ones are asked about again. */
const MAX_DECISIONS = 1000;

/**
 * @example
 * openTrustedTexts(app, root).isTrusted({ path: 'AGENTS.md', sha256 }); // undefined: the user was not asked yet
 */
export function openTrustedTexts(app: TrustPlace, directory: string): TrustedTexts {
  const { mode, paths, fileSystem, clock } = app;
  const root = realPathOf(fileSystem, directory) ?? directory;
  const path = join(paths.home, 'trust', `${hash('sha256', root, 'hex').slice(0, 32)}.json`);

  function kept(): readonly TextDecision[] {
    const limits = { uid: app.process.uid, maxBytes: MAX_FILE_BYTES };
    const file = unless(isSystemError, () => readOwnFile(fileSystem, path, limits));
    return file?.kind === 'content' ? decisionsIn(new TextDecoder().decode(file.content), root) : [];
  }

  async function keep(decisions: readonly TextDecision[]): Promise<void> {
    const joinedText = () =>
      `${JSON.stringify({ format: FORMAT, root, decisions: joined(kept(), decisions) }, undefined, 1)}\n`;
    try {
      await changeContent({ ...app, path }, joinedText);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new OllmError('IO_FAILED', `The answer cannot be kept in ${path}: ${(error as Error).message}.`, {
        hint: 'The texts of the project are not used. Correct that, and start again.',
        data: { path },
        cause: error,
      });
    }
  }

  return {
    isTrusted: (text) =>
      (mode === 'ephemeral' ? app.decisions : kept()).findLast((each) => isSame(each, text))?.trusted,
    async decide(texts, trusted) {
      const decidedAt = new Date(clock.now()).toISOString();
      const decisions = texts.map(({ path: place, sha256 }) => ({ path: place, sha256, trusted, decidedAt }));
      if (mode === 'ephemeral') app.decisions.push(...decisions);
      else await keep(decisions);
    },
  };
}

/** The later of two decisions on a text counts. */
function joined(older: readonly TextDecision[], newer: readonly TextDecision[]): readonly TextDecision[] {
  const left = older.filter((each) => !newer.some((other) => isSame(each, other)));
  return [...left, ...newer].slice(-MAX_DECISIONS);
}

function isSame(one: DecidedText, other: DecidedText): boolean {
  return one.path === other.path && one.sha256 === other.sha256;
}

/** No decisions from a file that is damaged, or about a different project. */
function decisionsIn(text: string, root: string): readonly TextDecision[] {
  const value = parseJson(text);
  if (!isObject(value) || value.format !== FORMAT || value.root !== root || !Array.isArray(value.decisions)) return [];
  return value.decisions.every(isDecision) ? value.decisions : [];
}

function isDecision(value: unknown): value is TextDecision {
  if (!isObject(value) || typeof value.trusted !== 'boolean') return false;
  return [value.path, value.sha256, value.decidedAt].every((each) => typeof each === 'string');
}
