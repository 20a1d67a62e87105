import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { createLoopDetectionService } from '../../lib/library/loop-detection-service.ts';
import { silentLog, systemClock } from '../../lib/platform/index.ts';
import type { LogFields } from '../../lib/platform/log.ts';
import { createSession } from '../../lib/session/create.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { runTurn } from '../../lib/turn/run-turn.ts';
import { eventsOf, memoryWorld } from '../session/world.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';

const RUNS = { numRuns: 150 };
const threshold = fc.integer({ min: 2, max: 8 });
const args = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => ({ ...value }));

test('Feature: services-sessions, Property 14: consecutive equal calls are a loop at the threshold', () => {
  fc.assert(
    fc.property(
      threshold,
      fc.string({ minLength: 1 }),
      args,
      fc.array(fc.nat(), { maxLength: 5 }),
      (count, name, given, before) => {
        const service = createLoopDetectionService({ repeatThreshold: count });
        for (const [index, value] of before.entries()) service.recordToolCall(`before-${index}`, { value });
        for (let call = 1; call < count; call++) {
          service.recordToolCall(name, given);
          expect(service.checkForLoop()).toBeNull();
        }
        service.recordToolCall(name, structuredClone(given));
        expect(service.checkForLoop()).toMatchObject({ type: 'repeated-tool', count });
        expect(service.checkForLoop()?.details).toContain(name);
      },
    ),
    RUNS,
  );
});

test('Feature: services-sessions, Property 14: calls that differ in name, arguments or result are not a loop, however many', () => {
  const change = fc.constantFrom('name', 'arguments', 'result');
  fc.assert(
    fc.property(threshold, fc.string({ minLength: 1 }), args, change, (count, name, given, what) => {
      const service = createLoopDetectionService({ repeatThreshold: count });
      for (let call = 0; call < 3 * count; call++) {
        const itsArgs = what === 'arguments' ? { ...given, 'the step': call } : given;
        service.recordToolCall(
          what === 'name' ? `${name}-${call}` : name,
          itsArgs,
          what === 'result' ? `${call} %` : 'ok',
        );
        expect(service.checkForLoop()).toBeNull();
      }
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 15: outputs without two equal ones in a row are not a loop, however many', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,10}$/), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(threshold, words, (count, list) => {
      const service = createLoopDetectionService({ repeatThreshold: count });
      for (let said = 0; said < 3 * count; said++) {
        service.recordOutput(`I look at ${list[said % list.length]} now.`);
        expect(service.checkForLoop()).toBeNull();
      }
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 15: consecutive equal outputs are a loop at the threshold', () => {
  fc.assert(
    fc.property(threshold, fc.string({ maxLength: 200 }), (count, output) => {
      const service = createLoopDetectionService({ repeatThreshold: count });
      for (let said = 1; said < count; said++) {
        service.recordOutput(output);
        expect(service.checkForLoop()).toBeNull();
      }
      service.recordOutput(output);
      expect(service.checkForLoop()).toMatchObject({ type: 'repeated-output', count });
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 16: more turns than the limit are a loop', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.nat({ max: 20 }), (maxTurns, more) => {
      const service = createLoopDetectionService({ maxTurns });
      for (let turn = 0; turn < maxTurns; turn++) service.recordTurn();
      expect(service.checkForLoop()).toBeNull();
      for (let turn = 0; turn <= more; turn++) service.recordTurn();
      expect(service.checkForLoop()).toMatchObject({ type: 'turn-limit', count: maxTurns + more + 1 });
      service.reset();
      expect(service.checkForLoop()).toBeNull();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 17: a detected loop is recorded with its details and ends the turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      async (repeatThreshold, period) => {
        const { store } = memoryWorld();
        const created = { provider: 'scripted', model: 'm', ollm: '0.0.0' };
        const loop = { maxTurns: 50, repeatThreshold };
        const session = await createSession(store, { id: 'notes', created }, { log: silentLog, loop });
        const provider = scriptedProvider(async function* (_request, _signal, round) {
          yield { type: 'tool-call', call: { callId: `c${round}`, name: `tool-${round % period}`, args: {} } };
          yield { type: 'finish', reason: 'tool-calls' };
        });
        const dependencies = {
          provider,
          model: 'm',
          counter: estimatingCounter,
          store,
          clock: systemClock,
          log: silentLog,
        };
        const signals = await lastValueFrom(
          runTurn(session, { text: 'go' }, { ...dependencies, maxSteps: 100 }).pipe(toArray()),
        );
        expect(provider.requests).toHaveLength(repeatThreshold * period);
        expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'LOOP_DETECTED' } });
        const events = await eventsOf(store, 'notes');
        expect(events.at(-2)).toMatchObject({
          type: 'loop.detected',
          data: { pattern: period === 1 ? 'repeated-tool' : 'cycle', count: repeatThreshold, action: 'stop' },
        });
        expect(String(events.at(-2)?.data.details)).toContain('tool-0');
        expect(events.at(-1)).toMatchObject({ type: 'turn.ended', data: { status: 'loop' } });
      },
    ),
    { numRuns: 100 },
  );
});

describe('the loop detection service', () => {
  it('finds nothing if it is switched off, or the result of a call changes', () => {
    const service = createLoopDetectionService();
    for (let percent = 0; percent < 20; percent++) service.recordToolCall('status', {}, `${percent} %`);
    expect(service.checkForLoop()).toBeNull();
    for (let call = 0; call < 3; call++) service.recordToolCall('ls', {});
    service.configure({ enabled: false, maxTurns: 50, repeatThreshold: 3 });
    expect(service.checkForLoop()).toBeNull();
  });

  it('restarts when the user writes something', () => {
    const service = createLoopDetectionService();
    for (const _ of [1, 2]) service.recordOutput('the same');
    service.reset();
    service.recordOutput('the same');
    expect(service.checkForLoop()).toBeNull();
  });

  it('replaces an invalid setting by its default, and says so', () => {
    const warnings: LogFields[] = [];
    const log = { ...silentLog, warn: (fields: LogFields) => void warnings.push(fields) };
    const service = createLoopDetectionService({ repeatThreshold: 0, maxTurns: Number.NaN }, { log });
    for (let call = 0; call < 2; call++) service.recordToolCall('ls', {});
    expect(service.checkForLoop()).toBeNull();
    service.recordToolCall('ls', {});
    expect(service.checkForLoop()?.count).toBe(3);
    expect(warnings).toHaveLength(2);
  });
});

test('acts like a new one after a reset, with any earlier records', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom('ls', 'cat'),
      result: fc.constantFrom(undefined, 'x'),
    }),
    fc.record({ kind: fc.constant('output' as const), text: fc.constantFrom('', 'same') }),
    fc.record({ kind: fc.constant('turn' as const) }),
  );
  const steps = fc.array(step, { maxLength: 12 });
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const [used, fresh] = [createLoopDetectionService({ maxTurns: 3 }), createLoopDetectionService({ maxTurns: 3 })];
      const record = (service: typeof used, one: (typeof before)[number]) => {
        if (one.kind === 'call') service.recordToolCall(one.name, {}, one.result);
        else if (one.kind === 'output') service.recordOutput(one.text);
        else service.recordTurn();
      };
      for (const one of before) record(used, one);
      used.reset();
      expect(used.checkForLoop()).toBeNull();
      for (const one of after) {
        for (const service of [used, fresh]) record(service, one);
        expect(used.checkForLoop()).toEqual(fresh.checkForLoop());
      }
    }),
    RUNS,
  );
});
