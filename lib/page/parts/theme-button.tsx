import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Light or dark; at first as the system has it. */
export function ThemeButton({ class: name = '' }: { class?: string }) {
  const [theme, setTheme] = useState(localStorage.getItem('theme') ?? '');
  const isDark = theme === '' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  const change = (): void => {
    const next = isDark ? 'light' : 'dark';
    localStorage.setItem('theme', next);
    document.documentElement.dataset.theme = next;
    setTheme(next);
  };
  return (
    <button type="button" class={`button plain square ${name}`} aria-label={isDark ? 'Light' : 'Dark'} onClick={change}>
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}
