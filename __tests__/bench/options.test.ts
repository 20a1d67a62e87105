// What the bench is told: what is wrong is said before anything is measured.
import { CASES } from '../../bench/bench.ts';
import { type Options, readOptions } from '../../bench/options.ts';

function optionsOf(...args: string[]): Options {
  const order = readOptions(args);
  if (order.kind !== 'run') throw new Error(JSON.stringify(order));
  return order.options;
}

describe('the options of the bench', () => {
  it('are all cases at full length where nothing is said', () => {
    expect(optionsOf()).toEqual({
      names: CASES,
      quick: false,
      seed: 1,
      lengths: [1_000, 10_000, 100_000, 1_000_000],
      directory: undefined,
      document: false,
      curve: false,
    });
  });

  it('name cases in the order in which they run, each once', () => {
    expect(optionsOf('--only', 'replay', '--only', '^append', '--only', 'append$').names).toEqual([
      'append',
      'append-disk',
      'append-peers',
      'replay',
    ]);
  });

  it('read short sessions when it has to be quick, and those that are asked for before all', () => {
    expect(optionsOf('--quick').lengths).toEqual([20_000]);
    expect(optionsOf('--quick', '--events', '100', '--events', '7').lengths).toEqual([100, 7]);
  });

  it('take a seed and a place', () => {
    expect(optionsOf('--seed', '42', '--directory', 'there')).toMatchObject({ seed: 42, directory: 'there' });
  });

  it('ask for help or for the names, whatever else they say', () => {
    expect(readOptions(['--help', '--only', '('])).toEqual({ kind: 'help' });
    expect(readOptions(['--list', '--seed', 'x'])).toEqual({ kind: 'list' });
  });

  it.each([
    [['--only', 'nomatch'], `--only nomatch matches none of the cases, which are ${CASES.join(', ')}.`],
    [
      ['--only', 'read', '--only', 'nomatch'],
      `--only nomatch matches none of the cases, which are ${CASES.join(', ')}.`,
    ],
    [['--only', '('], '--only takes a regular expression, which ( is not.'],
    [['--seed', 'x'], '--seed takes a whole number from 0 on, not x.'],
    [['--seed', '1.5'], '--seed takes a whole number from 0 on, not 1.5.'],
    [['--seed', ''], '--seed takes a whole number from 0 on, not nothing.'],
    [['--events', '0'], '--events takes a whole number from 1 on, not 0.'],
    [['--events', '100', '--events', '1e3'], '--events takes a whole number from 1 on, not 1e3.'],
    [['--document', '--quick'], '--document writes tables of full length: leave out --quick and --events.'],
    [['--document', '--events', '100'], '--document writes tables of full length: leave out --quick and --events.'],
    [
      ['--curve', '--quick'],
      '--curve draws what the case turn-cost came to at full length: leave out --quick, and name it.',
    ],
    [
      ['--curve', '--only', 'read'],
      '--curve draws what the case turn-cost came to at full length: leave out --quick, and name it.',
    ],
  ])('refuse %j', (args, reason) => {
    expect(readOptions(args)).toEqual({ kind: 'refused', reason });
  });

  it.each([[['--frobnicate']], [['read']], [['--seed']]])('refuse %j in the words of Node', (args) => {
    expect(readOptions(args)).toEqual({ kind: 'refused', reason: expect.stringContaining(args[0]!) });
  });
});
