// What a damaged place is, and whether anything that was acknowledged is missing, in words.
import type { SentDamagedPlace } from '../api/types.ts';
import { plural } from './numbers.ts';

interface DamageWords {
  readonly title: string;
  /** Whether anything is missing that its writer was told is stored. */
  readonly missing: string;
}

/** `isForeign`: the file is another program's, which nothing here has acknowledged. */
export function damageWords(
  { kind, length, seq }: Pick<SentDamagedPlace, 'kind' | 'length' | 'seq'>,
  { isForeign = false }: { isForeign?: boolean } = {},
): DamageWords {
  const bytes = `${plural(length, 'byte')} here ${length === 1 ? 'is' : 'are'} not as ${length === 1 ? 'it was' : 'they were'} written`;
  const title = TITLES[kind] ?? bytes;
  if (isForeign) return { title, missing: 'It is not known whether anything is missing: another program wrote this.' };
  const known = MISSING[kind];
  if (known !== undefined) return { title, missing: known };
  const event = seq === undefined ? 'What was acknowledged here' : `Event ${seq}, which was acknowledged,`;
  return { title, missing: `${event} cannot be read.` };
}

const TITLES: Readonly<Record<string, string>> = {
  unterminated: 'The last line has no end',
  gap: 'Events are missing here',
  duplicate: 'This is here twice',
  fork: 'What follows was not written behind what is above it',
};

const MISSING: Readonly<Record<string, string>> = {
  'torn-tail': 'Nothing that was acknowledged is missing, unless the machine itself went down.',
  'zero-tail': 'Nothing that was acknowledged is missing, unless the machine itself went down.',
  unterminated: 'Nothing is missing.',
  duplicate: 'Nothing is missing.',
  edited: 'What holds without the change is shown. Nothing else is missing.',
  gap: 'They were acknowledged, and are not in this file.',
  fork: 'What was acknowledged here may be missing.',
  welded: 'The lines that are whole were read. What is between them may have been acknowledged.',
};
