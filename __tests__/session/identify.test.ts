import fc from 'fast-check';
import { isOllmError } from '../../lib/errors/index.ts';
import { isSessionId } from '../../lib/journal/format.ts';
import { idOfName, idOfPromptFile } from '../../lib/session/identify.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Names that Windows gives to devices, also with an extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

describe('the id of a named session', () => {
  it('is the name if that is an id already', () => {
    expect(idOfName('release-notes')).toEqual({ id: 'release-notes', title: 'release-notes' });
  });

  it('is otherwise the name in letters of an id, and the name becomes the title', () => {
    expect(idOfName('  Überlegungen: Teil 2 ')).toEqual({ id: 'uberlegungen-teil-2', title: 'Überlegungen: Teil 2' });
  });

  it.each([
    ['C++', 'C#'],
    ['../x', 'x/'],
    [`${'long '.repeat(20)}one`, `${'long '.repeat(20)}two`],
    ['日本 a', '中国 a'],
  ])('differs for names that would have the same letters: %j and %j', (one, other) => {
    expect(idOfName(one).id).not.toBe(idOfName(other).id);
    expect(idOfName(one).id).toMatch(/-[0-9a-f]{8}$/);
  });

  it.each(['日本', '...', '-'])('is made from a hash if no letter of %j can be used', (name) => {
    const { id } = idOfName(name);
    expect(id).toMatch(/^session-[0-9a-f]{16}$/);
    expect(idOfName(name).id).toBe(id);
  });

  it.each(['con', 'NUL', 'com1'])('never is the name of a device of Windows: %s', (name) => {
    expect(DEVICE_NAME.test(idOfName(name).id)).toBe(false);
  });

  it.each(['', '   ', 'x'.repeat(201)])('is refused for an empty or too long name', (name) => {
    expect(() => idOfName(name)).toThrow(expect.objectContaining({ code: 'SESSION_ID_INVALID' }));
  });

  it.each([
    ['', 'is empty'],
    ['x'.repeat(201), 'has 201 characters'],
    ['@last', '"@last" cannot be the name'],
  ])('is refused with the fault of the name: %s', (name, problem) => {
    expect(() => idOfName(name)).toThrow(expect.objectContaining({ message: expect.stringContaining(problem) }));
  });

  it('matches the pattern of session ids for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 220 }), (name) => {
        try {
          const { id } = idOfName(name);
          return isSessionId(id) && !DEVICE_NAME.test(id) && idOfName(name).id === id;
        } catch (error) {
          return isOllmError(error, 'SESSION_ID_INVALID');
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the id of a prompt file', () => {
  it('depends on the place of the file and begins with its name', () => {
    const id = idOfPromptFile('/home/me/prompts/Code Review.md');
    expect(id).toMatch(/^code-review-[0-9a-f]{16}$/);
    expect(idOfPromptFile('/home/me/prompts/Code Review.md')).toBe(id);
    expect(idOfPromptFile('/home/you/prompts/Code Review.md')).not.toBe(id);
  });

  it('matches the pattern of session ids', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (path) => isSessionId(idOfPromptFile(`/${path}`))));
  });
});
