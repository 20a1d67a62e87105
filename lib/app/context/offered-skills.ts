// Puts skills before the model, as context entries that instruct: the names of those that the user trusts, as they are
// now, without those that a rule closes, and the text of each that the model has read with the tool `skill_read`. What
// was there and is not trusted any more is taken out. Without that tool nothing is offered. A search needs none.
import { dirname } from 'node:path';
import { SKILLS_KEY, SKILLS_TOOL } from '../../context/entries.ts';
import type { NewEntry } from '../../context/new-entry.ts';
import { countOf } from '../../display/quantities.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { sha256Of } from '../../session/identify.ts';
import { estimatingCounter } from '../../tokens/estimate.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { usableSkills } from '../policy/usable-skills.ts';
import { type DecidedText, openTrustedTexts, type TrustedTexts } from '../project/trusted-texts.ts';
import { requestWindow } from '../providers/request-window.ts';
import type { Skill } from '../skills/own-skills.ts';
import { projectSkills } from '../skills/project-skills.ts';
import { addContext, removeContext } from './add-context.ts';
import { notUsed } from './project-instructions.ts';

const BEGINNING =
  'Instructions for certain work. Where one fits what you are asked for, read it with skill_read before you begin: its text is then a section of its own, “skill” with its name, which you follow.';
/** The key of an entry with the text of a skill. The path of an AGENTS.md is a key too, and is never like this. */
const TEXT_KEY = /^skill [^/\s]+$/;
/** How much of the window the texts of all skills may take: the conversation needs the rest. */
const SHARE_OF_WINDOW = 0.5;
/** How much of the window their names and descriptions may take, which are in each request. */
const SHARE_OF_NAMES = 0.1;
/** Characters of a description, from the longest on: where they do not fit, the next shorter length is tried. */
const DESCRIPTION_LENGTHS = [500, 120, 40];

/** Returns notices for the user. @throws the errors of an append */
export async function updateSkills(app: App, conversation: Conversation): Promise<readonly string[]> {
  const { enabled, disabled } = app.config.tools;
  const isReadable = enabled && !disabled.includes(SKILLS_TOOL);
  const offered = isReadable ? await usableSkills(app) : [];
  const notices = await updateNames(app, conversation, offered);
  await updateTexts(app, conversation, offered);
  const unasked = isReadable ? projectSkills(app).filter(({ trusted }) => trusted === undefined) : [];
  return unasked.length === 0 ? notices : [...notices, notUsed(unasked)];
}

/**
 * Puts the text of a trusted skill before the model.
 *
 * @throws OllmError USAGE: it cannot be added; CONTEXT_TOO_SMALL: the window is too small for it; what an append throws
 */
export async function addSkill(
  app: App,
  conversation: Conversation,
  skill: Pick<Skill, 'name' | 'text'>,
): Promise<void> {
  const entry = textEntry(skill);
  const { context, view } = conversation.session.states;
  const known = context.entries.find(({ key }) => key === entry.key);
  if (known !== undefined && known.source !== 'system')
    throw new OllmError('USAGE', `The user has a context entry with the name ${entry.key}.`);
  const others = context.entries.filter(({ key }) => TEXT_KEY.test(key) && key !== entry.key);
  const tokens = others.reduce((sum, each) => sum + each.tokens.count, estimatingCounter.count(entry.content).count);
  const most = (requestWindow(app, view) ?? Number.POSITIVE_INFINITY) * SHARE_OF_WINDOW;
  if (tokens > most) {
    const size = `with it the texts of skills take about ${tokens} tokens`;
    throw new OllmError('CONTEXT_TOO_SMALL', `${skill.name} is too long: ${size}, and ${most} are left for them.`);
  }
  await addContext(app, conversation, entry);
}

async function updateNames(
  app: App,
  conversation: Conversation,
  offered: readonly Skill[],
): Promise<readonly string[]> {
  const { context, view } = conversation.session.states;
  const known = context.entries.find(({ key }) => key === SKILLS_KEY);
  // An entry of the user's own has this name.
  if (known !== undefined && known.source !== 'system') return [];
  const window = requestWindow(app, view) ?? Number.POSITIVE_INFINITY;
  const rows = rowsWithin(offered, window * SHARE_OF_NAMES);
  if (rows.length === 0) {
    await removeContext(conversation, SKILLS_KEY);
    return offered.length === 0 ? [] : ['The window of the model has no room for the names of skills.'];
  }
  const content = [BEGINNING, '', ...rows].join('\n');
  await addContext(app, conversation, { key: SKILLS_KEY, content, source: 'system', trusted: true });
  return known === undefined ? await noticesOf(app, offered, rows.length) : [];
}

/** The rows of as many skills as fit, the first first; with shorter descriptions where all fit then. */
function rowsWithin(skills: readonly Skill[], mostTokens: number): readonly string[] {
  const size = (rows: readonly string[]) => estimatingCounter.count([BEGINNING, '', ...rows].join('\n')).count;
  const tried = DESCRIPTION_LENGTHS.map((length) => skills.map((skill) => rowOf(skill, length)));
  const rows = tried.find((each) => size(each) <= mostTokens) ?? tried.at(-1)!;
  let count = rows.length;
  while (count > 0 && size(rows.slice(0, count)) > mostTokens) count -= 1;
  return rows.slice(0, count);
}

/** Where the user's trust keeps that this notice was shown: no file of a project has an absolute path there. */
const SHOWN_NAMES = '/names of skills';

/** What a provider comes to know that the user may not expect: once in a project, until other skills are named. */
async function noticesOf(app: App, offered: readonly Skill[], named: number): Promise<readonly string[]> {
  const { paths } = app;
  const ofOthers = offered.filter(({ place, path }) => place === 'user' && !isInside(paths.home, dirname(path)));
  const notices: string[] = [];
  const names = new TextEncoder().encode(ofOthers.map(({ name }) => name).join('\n'));
  const shown = { path: SHOWN_NAMES, sha256: sha256Of(names) };
  const texts = openTrustedTexts(app, paths.project);
  if (ofOthers.length > 0 && texts.isTrusted(shown) === undefined) {
    const words = `${countOf(ofOthers.length, 'skill')} of other programs`;
    notices.push(
      `The model is told the names of ${words}. /skills lists them; the setting skills: own leaves them out.`,
    );
    await keepQuietly(app, texts, shown);
  }
  if (named < offered.length)
    notices.push(`Of ${offered.length} skills ${named} are named to the model: its window has no room for more.`);
  return notices;
}

/** A notice that cannot be kept is shown again. */
async function keepQuietly(app: App, texts: TrustedTexts, shown: DecidedText): Promise<void> {
  try {
    await texts.decide([shown], true);
  } catch (error) {
    if (!isOllmError(error, 'IO_FAILED')) throw error;
    app.log.warn({ service: 'skills', operation: 'notice', error }, 'That a notice was shown is not kept');
  }
}

/** Replaces changed texts among those that the model has read. */
async function updateTexts(app: App, conversation: Conversation, offered: readonly Skill[]): Promise<void> {
  const { entries } = conversation.session.states.context;
  for (const { key } of entries.filter(({ key, source }) => source === 'system' && TEXT_KEY.test(key))) {
    const skill = offered.map(textEntry).find((entry) => entry.key === key);
    if (skill === undefined) await removeContext(conversation, key);
    else await addContext(app, conversation, skill);
  }
}

function rowOf({ name, description }: Skill, longest: number): string {
  const cut = description.length > longest ? `${description.slice(0, longest - 1).toWellFormed()}…` : description;
  return `- ${name}: ${cut}`;
}

function textEntry({ name, text }: Pick<Skill, 'name' | 'text'>) {
  return { key: `skill ${name}`, content: text, source: 'system', trusted: true } as const satisfies NewEntry;
}
