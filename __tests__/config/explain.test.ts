import fc from 'fast-check';
import { withoutSecret } from '../../lib/config/explain.ts';

describe('the shown value of a setting', () => {
  it.each(['apiKey', 'apikey', 'providers.x.apiKey', 'token', 'accessToken', 'client_secret', 'db.password', 'keys'])(
    'is hidden for %s',
    (key) => {
      fc.assert(fc.property(fc.anything(), (value) => expect(withoutSecret(key, value)).toBe('(hidden)')));
    },
  );

  it.each(['model', 'services.session.maxSessions', 'monkey', 'services.environment.denyPatterns', 'tokenizer'])(
    'is visible for %s',
    (key) => {
      expect(withoutSecret(key, 'x')).toBe('x');
    },
  );

  it('has the names of variables for a program, without their values', () => {
    expect(withoutSecret('runs.qwen.env', { TOKEN: 'x', URL: 'y' })).toEqual({ TOKEN: '(hidden)', URL: '(hidden)' });
  });

  it('hides the user in an address', () => {
    expect(withoutSecret('providers.ollama.host', 'https://me:word@host:1/x')).toBe('https://(hidden)@host:1/x');
    expect(withoutSecret('providers.ollama.host', 'http://host:1')).toBe('http://host:1');
  });
});
