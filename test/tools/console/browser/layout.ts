import type { Tab } from './tab.ts'

/** What overlaps, is cut off or leaves the page, as it is shown now, a sentence each. */
export async function wrongLayout({ page }: Pick<Tab, 'page'>): Promise<readonly string[]> {
  return page.evaluate(() => {
    interface Box {
      readonly of: Element
      readonly text: string
      readonly left: number
      readonly right: number
      readonly top: number
      readonly bottom: number
    }
    /** Pixels. Lines of text stand so close. */
    const SLACK = 3
    const wrong: string[] = []
    const root = document.documentElement
    scrollTo(0, 0)
    if (root.scrollWidth > root.clientWidth) {
      wrong.push(`it scrolls sideways, ${root.scrollWidth} of ${root.clientWidth} pixels`)
    }
    const isCutting = (style: CSSStyleDeclaration): boolean => style.overflowX !== 'visible'
    const boxes: Box[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? ''
      const of = node.parentElement
      if (of === null || text === '' || of.closest('.unseen, .skip, script, dialog') !== null)
        continue
      // What is folded has boxes all the same.
      if (of.closest('details:not([open])') !== null && of.closest('summary') === null) continue
      if (!of.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects()) {
        if (rect.width < 1 || rect.height < 1) continue
        const inside = of.closest('a, button, td')?.getBoundingClientRect()
        if (inside !== undefined && rect.bottom - inside.bottom > SLACK) {
          wrong.push(`“${text.slice(0, 60)}” hangs below the line that it belongs to`)
        }
        let { left, right, top, bottom } = rect
        // What scrolls, or ends with an ellipsis, shows the part that fits.
        for (
          let at: Element | null = of;
          at !== null && at !== document.body;
          at = at.parentElement
        ) {
          const style = getComputedStyle(at)
          if (!isCutting(style)) continue
          const around = at.getBoundingClientRect()
          const isScrolled = style.overflowX === 'auto' || style.overflowX === 'scroll'
          const hasEllipsis = style.textOverflow === 'ellipsis'
          const lost = Math.max(right - around.right, around.left - left, bottom - around.bottom)
          if (lost > SLACK && !isScrolled && !hasEllipsis) {
            wrong.push(`“${text.slice(0, 60)}” is cut off by ${at.className || at.tagName}`)
          }
          if (
            right - around.right > SLACK &&
            hasEllipsis &&
            of.closest('[title]') === null &&
            at.querySelector('[title]') === null
          ) {
            wrong.push(`“${text.slice(0, 60)}” is cut, and has no title`)
          }
          left = Math.max(left, around.left)
          right = Math.min(right, around.right)
          top = Math.max(top, around.top)
          bottom = Math.min(bottom, around.bottom)
        }
        if (right - left > SLACK && bottom - top > SLACK) {
          if (right > root.clientWidth + 1 || left < -1) {
            wrong.push(`“${text.slice(0, 60)}” leaves the page`)
          }
          boxes.push({ of, text: text.slice(0, 60), left, right, top, bottom })
        }
      }
    }
    // Marks and bars of one run lie upon each other on purpose.
    const isPlotted = (of: Element): boolean =>
      of.closest('.plot, svg') !== null && of.closest('.axis') === null
    const sorted = boxes
      .filter(({ of }) => !isPlotted(of))
      .toSorted((one, other) => one.top - other.top)
    for (const [at, one] of sorted.entries()) {
      for (const other of sorted.slice(at + 1)) {
        if (other.top > one.bottom - SLACK) break
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
        const high = Math.min(one.bottom, other.bottom) - other.top
        if (wide > SLACK && high > SLACK && one.of !== other.of) {
          wrong.push(`“${one.text}” and “${other.text}” overlap`)
        }
      }
    }
    return [...new Set(wrong)]
  })
}
