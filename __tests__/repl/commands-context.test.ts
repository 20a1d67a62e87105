import { parseContextEntry } from '../../lib/repl/commands/context-arguments.ts';

describe('/context add', () => {
  it.each([
    ['style Answer briefly.', { key: 'style', content: 'Answer briefly.' }],
    [
      'style Answer briefly. --priority 90 --ttl 10m',
      { key: 'style', content: 'Answer briefly.', priority: 90, ttlMs: 600_000 },
    ],
    ['--ttl=2h --priority -1 style Answer.', { key: 'style', content: 'Answer.', priority: -1, ttlMs: 7_200_000 }],
    ['flags Use --ttl 5m in examples always', { key: 'flags', content: 'Use --ttl 5m in examples always' }],
    ['two lines\nof text', { key: 'two', content: 'lines\nof text' }],
    ['', { key: '', content: '' }],
  ])('reads %j', (argument, entry) => {
    expect(parseContextEntry(argument)).toEqual(entry);
  });

  it.each(['k t --priority high', 'k t --ttl 0m', 'k t --ttl 10', 'k t --ttl soon', 'k t --priority 1.5'])(
    'refuses %j',
    (argument) => {
      expect(() => parseContextEntry(argument)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );
});
