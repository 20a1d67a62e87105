import type { Course, CourseRequest } from '../../../lib/page/model/course.ts';
import { findingsOf } from '../../../lib/page/model/findings.ts';

const request = (change: Partial<CourseRequest> = {}): CourseRequest => ({
  seq: 1,
  turn: 1,
  ts: '2026-01-01T00:00:00Z',
  input: 1000,
  output: 100,
  cached: 0,
  written: 0,
  cost: 0.1,
  ...change,
});
const course = (change: Partial<Course>): Course => ({
  requests: Array.from({ length: 10 }, (_, index) => request({ seq: index, turn: index < 5 ? 1 : 2 })),
  cold: [],
  failed: [],
  stopped: [],
  loops: [],
  compactions: [],
  ...change,
});

describe("the explanation of a session's cost", () => {
  it('is empty if nothing is unusual', () => {
    expect(findingsOf(course({}))).toEqual([]);
    expect(findingsOf(course({ requests: [] }))).toEqual([]);
  });

  it('names pauses with their dollars and their share', () => {
    expect(findingsOf(course({ cold: [2, 7] }))).toEqual([
      expect.objectContaining({
        title: '2 requests with a cold cache took $0.20, 20 % of the cost.',
        requests: [2, 7],
      }),
    ]);
  });

  it('counts the whole turn up to a loop', () => {
    expect(findingsOf(course({ loops: [3] }))[0]).toMatchObject({ requests: [0, 1, 2, 3] });
  });

  it('leaves out parts of less than a tenth', () => {
    const requests = [request({ cost: 100 }), ...course({}).requests];
    expect(findingsOf(course({ requests, cold: [3] }))).toEqual([]);
  });

  it('shows tokens if no price is known, and never $0', () => {
    const requests = Array.from({ length: 4 }, () => request({ cost: undefined }));
    const [finding] = findingsOf(course({ requests, cold: [1] }));
    expect(finding?.title).toBe('1 request with a cold cache took 1.1k tokens, 25 % of all tokens.');
  });

  it('names at most two, the dearest first', () => {
    const titles = findingsOf(course({ cold: [9], loops: [4], failed: [0, 1] })).map(({ title }) => title);
    expect(titles).toEqual([
      '1 loop took $0.50, 50 % of the cost.',
      '2 requests after a failed call took $0.20, 20 % of the cost.',
    ]);
  });
});
