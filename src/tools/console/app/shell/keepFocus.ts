/**
 * Moves the focus to the heading of the dialog or page when what had it is gone: a list that gave way to one of its lines, a form
 * whose plan is applied. Nothing has it then, and who reads by ear is put back before the header without a word.
 */
export function keepFocus(): void {
  let last: Element | undefined
  addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : undefined
  })
  // A click beside everything takes the focus away on purpose.
  addEventListener('pointerup', () => {
    if (hasNone()) last = undefined
  })
  const look = (): void => {
    if (last === undefined || last.isConnected || !hasNone()) return
    const part = document.querySelector('dialog[open]') ?? document
    part.querySelector<HTMLElement>('h1, .dialog-head > h2')?.focus({ preventScroll: true })
  }
  new MutationObserver((changes) => {
    // What takes the place may claim the focus by itself, in an effect after this frame.
    if (changes.some(({ removedNodes }) => removedNodes.length > 0)) {
      requestAnimationFrame(() => requestAnimationFrame(look))
    }
  }).observe(document.body, { childList: true, subtree: true })
}

function hasNone(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
