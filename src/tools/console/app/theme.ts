import { type ReadonlySignal, signal } from '@preact/signals'

type Theme = 'auto' | 'light' | 'dark'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']
const KEY = 'lineclear-theme'

const chosen = signal<Theme>('auto')

/** `auto`: as the system is set. */
export const theme: ReadonlySignal<Theme> = chosen

export function loadTheme(): void {
  setTheme(THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'auto')
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(chosen.value) + 1) % THEMES.length] ?? 'auto'
  localStorage.setItem(KEY, next)
  setTheme(next)
}

function setTheme(next: Theme): void {
  chosen.value = next
  document.documentElement.dataset['theme'] = next
}
