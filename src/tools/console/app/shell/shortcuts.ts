/** What a key does on every page. */
export interface Shortcut {
  readonly key: string
  readonly what: string
}

export const SHORTCUTS = [
  { key: '/', what: 'Search any id' },
  { key: '?', what: 'These keys' },
] as const satisfies readonly Shortcut[]

/** Keys that the browser and the parts have by themselves. */
export const OTHER_KEYS: readonly Shortcut[] = [
  { key: 'Esc', what: 'Close a dialog' },
  { key: 'Tab', what: 'Next link, button or field' },
  { key: '↑ ↓', what: 'In a list: another line. In the waterfall: another bar' },
  { key: 'Enter', what: 'Open the line' },
]

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly defaultPrevented: boolean
}

/** An element. */
interface Target {
  matches(selectors: string): boolean
}

/**
 * @param target where the key was pressed: in a field it is a letter
 * @param isModal whether a dialog is open: what lies behind it takes no keys
 * @returns undefined: the key is the browser's
 */
export function shortcutOf(
  { key, ctrlKey, metaKey, altKey, defaultPrevented }: Pressed,
  target: Target | null,
  isModal: boolean,
): (typeof SHORTCUTS)[number]['key'] | undefined {
  if (ctrlKey || metaKey || altKey || defaultPrevented || isModal) return undefined
  if (target?.matches(FIELDS) === true) return undefined
  return SHORTCUTS.find((each) => each.key === key)?.key
}

const FIELDS = 'input, textarea, select, [contenteditable]'
