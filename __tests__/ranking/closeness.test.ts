import fc from 'fast-check';
import { closenessTo } from '../../lib/ranking/closeness.ts';
import { readQuery } from '../../lib/ranking/words.ts';

const closeness = (question: string, text: string, rarities: Readonly<Record<string, number>> = {}) =>
  closenessTo(readQuery(question), (stem) => rarities[stem] ?? 1)(text);

describe('the closeness of words', () => {
  it('is greater if words of the question are near each other, in any order', () => {
    const far = closeness('server port', `a port ${'and much else '.repeat(4)} of a server`);
    expect(far).toBe(0);
    expect(closeness('server port', 'the port of a server')).toBeGreaterThan(far);
    expect(closeness('server port', 'the server has the port')).toBeGreaterThan(far);
  });

  it('is greatest if they follow each other as in the question', () => {
    expect(closeness('server port', 'a server port')).toBeGreaterThan(closeness('server port', 'a port server'));
  });

  it('skips common words between two words of the question, and counts them in sequence', () => {
    expect(closeness('port of the server', 'port, server')).toBe(0.5);
    expect(closeness('port of the server', 'port of the server')).toBeGreaterThan(0.5);
  });

  it('includes the parts of an identifier', () => {
    expect(closeness('acquire lock', 'await acquireLock(path)')).toBeGreaterThan(0);
    expect(closeness('what does acquireLock do', 'to acquire some lock')).toBeGreaterThan(0);
  });

  it('counts a pair by how rare its words are, and once', () => {
    const rarities = { serv: 4, port: 2 };
    expect(closeness('server port', 'port server', rarities)).toBe(1.5);
    expect(closeness('server port', 'port server, port server', rarities)).toBe(1.5 + 0.75);
    expect(closeness('port server port server', 'port', rarities)).toBe(0);
  });

  it('is zero for one word, for a word next to itself, and for none', () => {
    expect(closeness('port', 'port port port')).toBe(0);
    expect(closeness('port port', 'port port port')).toBe(0);
    expect(closeness('of the', 'of the', { of: 0, the: 0 })).toBe(0);
    expect(closeness('', 'of the')).toBe(0);
  });

  const word = fc.constantFrom('port', 'server', 'lock', 'the', 'of', 'harbour');
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
  it('never decreases when a text is extended', () => {
    fc.assert(
      fc.property(text, text, text, (question, said, more) => {
        expect(closeness(question, `${said} ${more}`)).toBeGreaterThanOrEqual(closeness(question, said));
      }),
    );
  });

  it('is equal if only the places near searched words are read, as in a text of ASCII', () => {
    const said = fc.constantFrom(
      'ties',
      'Queries',
      'lockFile',
      'locking',
      'port',
      'of',
      'the',
      `${'far away '.repeat(40)}`,
    );
    fc.assert(
      fc.property(fc.array(said, { maxLength: 30 }), text, (words, question) => {
        const query = readQuery(`${question} ties queries lock`);
        const sought = new Set(query.terms.map(({ stem }) => stem));
        const of = closenessTo(query, (stem) => (sought.has(stem) ? 1 : 0));
        // A letter that is not of ASCII has the whole text read.
        expect(of(words.join(' '))).toBe(of(`${words.join(' ')} . é`));
      }),
    );
  });
});
