import { tellChanged, useChanging } from '../api/changing.ts';
import { Icon } from './icon.tsx';

const CHANGED = 'ollm:theme';

function isDark(): boolean {
  const theme = localStorage.getItem('theme') ?? '';
  return theme === '' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

/** From light to dark, or back. At first it is as the system has it. */
export function switchTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  localStorage.setItem('theme', next);
  document.documentElement.dataset.theme = next;
  tellChanged(CHANGED);
}

export function ThemeButton({ class: name = '' }: { class?: string }) {
  const dark = useChanging(CHANGED, isDark);
  return (
    <button
      type="button"
      class={`button plain square ${name}`}
      aria-label={dark ? 'Light' : 'Dark'}
      onClick={switchTheme}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </button>
  );
}
