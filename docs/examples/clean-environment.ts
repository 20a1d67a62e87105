// Start a program without the secrets of the environment: EnvironmentSanitizationService.
import { spawnSync } from 'node:child_process';
import { createEnvironmentSanitizationService } from 'ollm';

const environment = createEnvironmentSanitizationService({
  config: { allowList: ['CI_TOKEN'], denyPatterns: ['INTERNAL_*'] },
});
const given = { ...process.env, OPENAI_API_KEY: 'secret', CI_TOKEN: 'harmless', INTERNAL_HOST: 'db-1', EDITOR: 'vi' };

const script = `console.log(['OPENAI_API_KEY', 'CI_TOKEN', 'INTERNAL_HOST', 'EDITOR'].filter((name) => name in process.env).join(' '))`;
const { stdout } = spawnSync(process.execPath, ['-e', script], { env: environment.sanitize(given), encoding: 'utf8' });
console.log(stdout.trim());
