import type { DevSample } from '../../dev/index.ts'

const KEY = 'lineclear-send '

/** What was sent last to this queue or topic, as it was typed. */
export function remembered(to: string): string | undefined {
  return localStorage.getItem(KEY + to) ?? undefined
}

/** @param text undefined: forgets it */
export function remember(to: string, text: string | undefined): void {
  if (text === undefined) localStorage.removeItem(KEY + to)
  else localStorage.setItem(KEY + to, text)
}

export function sampleText({ payload }: DevSample): string {
  return JSON.stringify(payload === undefined ? {} : payload, undefined, 2)
}
