import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { changeSetting, HOT_SETTINGS } from '../../../lib/app/start/change-setting.ts';
import { SETTINGS } from '../../../lib/config/settings.generated.ts';
import { appWorld, tell } from '../world.ts';

async function world() {
  const made = await appWorld();
  const conversation = await openSession(made.app, { kind: 'new', name: 'notes' });
  const change = (key: string, text: string) => changeSetting(made.app, conversation, key, text);
  const noted = async () =>
    [...(await Array.fromAsync(made.app.store.openReader('notes').outcomes())).flat()].flatMap((outcome) =>
      outcome.kind === 'event' && outcome.event.type === 'setting.changed' ? [outcome.event.data] : [],
    );
  return { ...made, conversation, change, noted };
}

describe('a setting that is changed while a conversation is open', () => {
  it('applies until the end of the program, and the session records it', async () => {
    const { app, change, noted } = await world();
    const config = app.config;
    expect(await change('services.compression.threshold', '0.6')).toMatchObject({ before: 0.8, value: 0.6 });
    expect(app.config.services.compression).toEqual({ ...config.services.compression, threshold: 0.6 });
    expect(app.configuration.values.services.compression.threshold).toBe(0.8);
    expect(await noted()).toEqual([{ key: 'services.compression.threshold', value: 0.6 }]);
  });

  it('counts in the next turn', async () => {
    const { app, change, conversation, provider } = await world();
    await tell(app, conversation, 'one');
    await change('maxOutputTokens', '77');
    await tell(app, conversation, 'two');
    expect(provider.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 77]);
  });

  it('is a text if the setting is a text, even if it looks like a number', async () => {
    const { app, change } = await world();
    await change('services.compression.summaryModel', '5');
    expect(app.config.services.compression.summaryModel).toBe('5');
  });

  it('returns to the configured value, also if that is missing', async () => {
    const { app, change, noted } = await world();
    await change('services.loopDetection.enabled', 'false');
    await change('services.loopDetection.enabled', 'default');
    await change('retention.maxItems', '40');
    await change('retention.maxItems', 'default');
    expect(app.config.services.loopDetection.enabled).toBe(true);
    expect(app.config.retention.maxItems).toBeUndefined();
    expect((await noted()).map(({ value }) => value)).toEqual([false, null, 40, null]);
  });

  it.each([
    ['services.compression.threshold', '7', /must be at most 1/],
    ['services.compression.threshold', 'much', /must be a number/],
    ['services.compression.strategy', 'magic', /must be one of summarize/],
    ['tools.enabled', 'perhaps', /must be true or false/],
    ['services.session.dataDir', '/elsewhere', /cannot be changed while a conversation is open/],
    ['services.compression.treshold', '0.5', /did you mean services.compression.threshold/],
    ['__proto__', '1', /is not a setting/],
  ])('refuses %s %s, and changes nothing', async (key, text, message) => {
    const { app, change, noted } = await world();
    const { config } = app;
    await expect(change(key, text)).rejects.toThrow(message);
    expect(app.config).toBe(config);
    expect(await noted()).toEqual([]);
  });

  it('is among the existing settings', () => {
    const names = SETTINGS.map(({ key }) => key);
    expect(HOT_SETTINGS.filter((key) => !names.includes(key))).toEqual([]);
  });
});
