// That retrieval stays as good as it is: how many of the written questions have their passage among the first five,
// compared with a plain full-text index over the same passages. A rewritten page may move a question or two.
import { evaluate, PLAIN, score } from '../../bench/retrieval/evaluate.ts';

/**
 * The least right of those that share a word with their passage, when this was written: 25 of 31, and 23 by the plain
 * index.
 */
const LEAST_RIGHT = 20;
/** Questions by which the plain index may be better. */
const MAX_BEHIND = 3;

it('the search finds the passages of the written questions, and no fewer than a plain index', async () => {
  const scores = await evaluate({ only: 'written' });
  const of = (set: string, way: string) => scores.find((each) => each.set === set && each.way === way)!;
  expect(of('written', 'by words').questions).toBeGreaterThanOrEqual(70);
  const near = of('written, a word shared', 'by words').right;
  expect(near).toBeGreaterThanOrEqual(LEAST_RIGHT);
  expect(near).toBeGreaterThanOrEqual(of('written, a word shared', PLAIN).right - MAX_BEHIND);
});

it.each([
  ['execa', 0.75],
  ['commander', 0.75],
])('the search ranks the right file first for the questions of newcomers about %s', async (project, least) => {
  const scores = (await evaluate({ only: { package: project } })).filter(({ way }) => way === 'by words');
  const questions = scores.reduce((sum, each) => sum + each.questions, 0);
  expect(questions).toBeGreaterThanOrEqual(12);
  expect(scores.reduce((sum, each) => sum + each.figures.first[0] * each.questions, 0) / questions).toBeGreaterThan(
    least,
  );
});

describe('the difference of two ways', () => {
  const answersTo = (right: (index: number) => boolean) =>
    Array.from({ length: 40 }, (_, index) => ({
      ...{ first: 0, three: 0, recall: right(index) ? 1 : 0, reciprocal: right(index) ? 1 : 0, filled: 0 },
      tokens: 1,
    }));
  const base = answersTo((index) => index % 2 === 0);

  it('is zero if they answer alike, however hard the questions are', () => {
    const none = [0, 0, 0];
    const { better } = score('set', 'way', base, base);
    expect(better).toEqual({ first: none, three: none, recall: none, filled: none, reciprocal: none });
  });

  it('is visible question by question if the intervals of both overlap', () => {
    const { better, figures } = score(
      'set',
      'way',
      answersTo((index) => index % 2 === 0 || index < 10),
      base,
    );
    const plain = score('set', PLAIN, base);
    expect(plain.better).toBeUndefined();
    expect(plain.figures.recall[2]).toBeGreaterThan(figures.recall[1]);
    expect(better!.recall[1]).toBeGreaterThan(0);
  });
});
