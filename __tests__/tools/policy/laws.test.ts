// What holds for every line and every set of rules.
import fc from 'fast-check';
import type { Decision } from '../../../lib/tools/decision.ts';
import { fixed, writeWords } from '../../../lib/tools/policy/command-words.ts';
import { matchesPath, matchesWord } from '../../../lib/tools/policy/globs.ts';
import { coversCommand, parseRule } from '../../../lib/tools/policy/rules.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { onLine, policyOf, shell } from './policy-of.ts';

const STRICTNESS: Readonly<Record<Decision['kind'], number>> = { allow: 0, ask: 1, deny: 2 };
const strictness = ({ kind }: Decision) => STRICTNESS[kind];

const word = fc.constantFrom(
  'git',
  'status',
  'push',
  'ls',
  '-l',
  'echo',
  'a.ts',
  'rm',
  '-rf',
  'npm',
  'test',
  'curl',
  '.env',
  '..',
  '/etc',
);
const simple = fc.array(word, { minLength: 1, maxLength: 4 });
const joint = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n');
const rule = fc.constantFrom(
  'bash',
  'bash(git *)',
  'bash(git status)',
  'bash(ls *)',
  'bash(rm *)',
  'bash(echo *)',
  'bash(npm test)',
  'bash(curl *)',
  '*',
  'bash(',
  'file_write',
);
const rules = fc.array(rule, { maxLength: 4 });

describe('the policy for every line', () => {
  it('one more deny or ask rule never allows more, nor does one allow rule less', async () => {
    await fc.assert(
      fc.asyncProperty(simple, rules, rules, rules, rule, async (words, allow, ask, deny, more) => {
        const line = words.join(' ');
        const before = strictness(await onLine(line, { allow, ask, deny }));
        expect(strictness(await onLine(line, { allow, ask, deny: [...deny, more] }))).toBeGreaterThanOrEqual(before);
        expect(strictness(await onLine(line, { allow, ask: [...ask, more], deny }))).toBeGreaterThanOrEqual(before);
        expect(strictness(await onLine(line, { allow: allow.slice(1), ask, deny }))).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it('the decision is the strictest of its commands', async () => {
    const { policy } = await policyOf({ allow: ['bash(git *)', 'bash(ls *)', 'bash(echo *)'], deny: ['bash(curl *)'] });
    // Without what changes the commands after it.
    const commands = fc.array(simple, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(commands, joint, (lines, between) => {
        const parts = lines.map((words) => strictness(policy.decide(shell(words.join(' ')))));
        expect(strictness(policy.decide(shell(lines.map((words) => words.join(' ')).join(between))))).toBe(
          Math.max(...parts),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('the decision is at least as strict if the line is inside a different way to run it', async () => {
    const { policy } = await policyOf({ allow: ['bash(git *)', 'bash(ls *)', 'bash(echo *)', 'bash(npm test)'] });
    const wraps: ((line: string) => string)[] = [
      (line) => `(${line})`,
      (line) => `{ ${line}; }`,
      (line) => `bash -c '${line}'`,
      (line) => `eval '${line}'`,
      (line) => `echo "$(${line})"`,
      (line) => `env ${line}`,
      (line) => `timeout 5 ${line}`,
      (line) => `nohup ${line} &`,
      (line) => `if true; then ${line}; fi`,
      (line) => `sudo ${line}`,
      (line) => `ls | xargs ${line}`,
    ];
    fc.assert(
      fc.property(simple, fc.constantFrom(...wraps), (words, wrap) => {
        const line = words.join(' ');
        expect(strictness(policy.decide(shell(wrap(line))))).toBeGreaterThanOrEqual(
          strictness(policy.decide(shell(line))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('the quoting of a word changes nothing', async () => {
    const { policy } = await policyOf({
      allow: ['bash(git *)', 'bash(npm test)'],
      deny: ['bash(curl *)'],
      ask: ['bash(ls *)'],
    });
    const quotes: ((text: string) => string)[] = [
      (text) => text,
      (text) => `'${text}'`,
      (text) => `"${text}"`,
      (text) => `$'${text}'`,
      (text) => `\\${text}`,
      (text) => `${text.slice(0, 1)}'${text.slice(1)}'`,
      (text) => `""${text}''`,
      (text) => `"${text.slice(0, 2)}"${text.slice(2)}`,
      (text) => [...text].map((character) => `$'\\x${character.charCodeAt(0).toString(16)}'`).join(''),
    ];
    const quoted = fc.array(fc.tuple(word, fc.constantFrom(...quotes)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(quoted, (words) => {
        const plain = policy.decide(shell(words.map(([text]) => text).join(' ')));
        expect(policy.decide(shell(words.map(([text, quote]) => quote(text)).join(' ')))).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('the policy makes a decision with a rule, for any text', async () => {
    const { policy } = await policyOf();
    const piece = fc.constantFrom(
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      ';',
      '&&',
      '|',
      '{',
      '}',
      '((',
      '))',
      '[[',
      ']]',
      '<<E',
      '\n',
      '>',
      '<',
      'if',
      'fi',
      'do',
      '$',
      '${',
      'a',
      '=',
      '*',
      '~',
      '#',
      '!',
      'E',
      ' ',
      '\u0000',
      '\ud800',
      '😀',
    );
    const hostile = fc.oneof(
      fc.string({ maxLength: 60, unit: anyCharacter }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(hostile, (line) => {
        expect(policy.decide(shell(line)).rule).toMatch(/./);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the rules for every pattern', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });

  it('a word matches exactly if the equivalent regular expression does', () => {
    fc.assert(
      fc.property(part, fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 }), (pattern, text) => {
        const expression = new RegExp(
          `^${pattern.replaceAll('*', '.*').replaceAll('?', '.').replaceAll('.*.*', '.*')}$`,
        );
        expect(matchesWord(pattern, text)).toBe(expression.test(text));
      }),
      { numRuns: 500 },
    );
  });

  it('a path matches itself, `**`, and its directory with `**`', () => {
    const path = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(path, (parts) => {
        const whole = parts.join('/');
        expect(matchesPath(whole, whole)).toBe(true);
        expect(matchesPath('**', whole)).toBe(true);
        expect(matchesPath(['**', parts.at(-1)].join('/'), whole)).toBe(true);
        expect(matchesPath([...parts.slice(0, -1), '**'].join('/'), whole)).toBe(true);
        expect(matchesPath(`${whole}/*`, whole)).toBe(false);
      }),
    );
  });

  it('a command written as a rule is covered by it, and no other command is', () => {
    const any = fc.array(
      fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !text.includes('\n')),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(any, any, (words, others) => {
        const parsed = parseRule(`bash(${writeWords(words.map(fixed))})`);
        if (parsed.kind !== 'rule' || parsed.rule.pattern === undefined) throw new Error(JSON.stringify(parsed));
        const { pattern } = parsed.rule;
        expect(coversCommand(pattern, { words: words.map(fixed) }, 'narrow')).toBe(true);
        const isSame = JSON.stringify(words) === JSON.stringify(others);
        expect(coversCommand(pattern, { words: others.map(fixed) }, 'narrow')).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });
});
