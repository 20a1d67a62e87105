// The texts of a project that would instruct the model: its AGENTS.md files, its commands, and the prompt file that its
// own configuration names; its skills are in app/skills. Each counts only where the user trusts it: the directory by
// trustedDirectories, or this very content at this place.
import { relative } from 'node:path';
import { isTrustedDirectory } from '../../config/is-trusted.ts';
import { isOllmError, unless } from '../../errors/index.ts';
import { sha256Of } from '../../session/identify.ts';
import type { App } from '../app.ts';
import { gitState } from '../repository/git-state.ts';
import { instructionFiles } from './instruction-files.ts';
import { promptPath, readPromptFile } from './prompt-file.ts';
import { type DecidedText, openTrustedTexts } from './trusted-texts.ts';

export interface ProjectText extends DecidedText {
  readonly kind: 'instructions' | 'prompt' | 'skill' | 'command';
  /** The directory that it belongs to. */
  readonly root: string;
  readonly content: string;
  /** Undefined: the user was not asked about this content yet. */
  readonly trusted: boolean | undefined;
}

/** The directory that AGENTS.md files are looked for in, from there down to the current one. */
export function instructionsRoot(app: App): string {
  return (gitState(app.fileSystem, app.cwd) ?? { root: app.paths.project }).root;
}

/** The AGENTS.md files from the root of the repository down. None where `projectInstructions` is off. */
export function projectInstructions(app: App): readonly ProjectText[] {
  if (!app.config.projectInstructions) return [];
  const root = instructionsRoot(app);
  const files = instructionFiles(app.fileSystem, root, app.cwd).filter(({ problem }) => !problem);
  if (files.length === 0) return [];
  const isTrusted = trustIn(app, root);
  return files.map(({ path, text }) => {
    const decided = { path, sha256: sha256Of(new TextEncoder().encode(text)) };
    return { kind: 'instructions', ...decided, root, content: text, trusted: isTrusted(decided) };
  });
}

/** A command of the project, which is asked about when it is used. */
export function projectCommand(
  app: App,
  { path, content }: { readonly path: string; readonly content: string },
): ProjectText {
  const root = app.paths.project;
  const decided = { path: relative(root, path), sha256: sha256Of(new TextEncoder().encode(content)) };
  return { kind: 'command', ...decided, root, content, trusted: trustIn(app, root)(decided) };
}

/** Whether the prompt file of the settings may be the system prompt with this content. A user's own always may. */
export function isTrustedPrompt(app: App, { file, sha256 }: { readonly file: string; readonly sha256: string }) {
  const root = rootOfPrompt(app);
  if (root === undefined || app.configuration.isProjectTrusted || !isPromptOfProject(app, file)) return true;
  return openTrustedTexts(app, root).isTrusted({ path: relative(root, file), sha256 }) === true;
}

/**
 * The prompt file, where the project's configuration is what names it. One that cannot be read is reported elsewhere.
 */
export function projectPrompt(app: App): readonly ProjectText[] {
  const root = rootOfPrompt(app);
  const file = root === undefined ? undefined : unless(isOllmError, () => readPromptFile(app, app.config.promptFile!));
  if (root === undefined || file === undefined) return [];
  const decided = { path: relative(root, file.path), sha256: sha256Of(file.bytes) };
  const content = new TextDecoder().decode(file.bytes);
  const trusted = app.configuration.isProjectTrusted || openTrustedTexts(app, root).isTrusted(decided);
  return [{ kind: 'prompt', ...decided, root, content, trusted }];
}

/** `file`: with its links resolved. */
function isPromptOfProject(app: App, file: string): boolean {
  return unless(isOllmError, () => promptPath(app, app.config.promptFile!)) === file;
}

/** The project whose configuration names the prompt file; undefined if the user's own does, or none is named. */
function rootOfPrompt({ config, configuration }: App): string | undefined {
  if (config.promptFile === undefined) return undefined;
  const isProjects = configuration.explain().some(({ key, layer }) => key === 'promptFile' && layer === 'project');
  return isProjects ? configuration.project : undefined;
}

/** The user's decision on the texts of this directory. Undefined: the user was not asked yet. */
export function trustIn(app: App, root: string): (text: DecidedText) => boolean | undefined {
  if (isTrustedDirectory(app.fileSystem, root, app.config.trustedDirectories)) return () => true;
  const texts = openTrustedTexts(app, root);
  return (text) => texts.isTrusted(text);
}
