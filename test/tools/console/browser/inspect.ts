import type { Tab } from './tab.ts'

/** Rows of a table that are in the document at most. */
const MOST_ROWS = 60

/** What is wrong with the page as it is shown now, a sentence each. */
export async function inspect({ page }: Tab): Promise<readonly string[]> {
  return page.evaluate((mostRows) => {
    const wrong: string[] = []
    const root = document.documentElement
    if (document.querySelector('h1')?.innerText.trim() === '') wrong.push('no heading')
    if (document.querySelector('.skeleton') !== null) wrong.push('it is still loading')
    const failure = document.querySelector<HTMLElement>('.failure')
    if (failure !== null) wrong.push(`it has failed: ${failure.innerText}`)
    if (root.scrollWidth > root.clientWidth) {
      const widest = [...document.querySelectorAll('body :not(.unseen)')].findLast(
        (each) =>
          each.getBoundingClientRect().left + Math.max(each.clientWidth, each.scrollWidth) >
          root.clientWidth,
      )
      wrong.push(
        `it scrolls sideways, ${root.scrollWidth} of ${root.clientWidth} pixels: ${widest?.outerHTML.slice(0, 200)}`,
      )
    }
    const shown = (element: Element): string => element.outerHTML.slice(0, 200)
    for (const number of document.querySelectorAll('.number')) {
      const range = document.createRange()
      range.selectNodeContents(number)
      const line = 1.5 * parseFloat(getComputedStyle(number).fontSize)
      if (range.getBoundingClientRect().height > 1.5 * line) {
        wrong.push(`a number is broken into lines: ${shown(number)}`)
      }
    }
    for (const cut of document.querySelectorAll('.cut')) {
      // A flex box cuts in the middle of a letter.
      if (cut.scrollWidth > cut.clientWidth && getComputedStyle(cut).display.includes('flex')) {
        wrong.push(`it is cut without an ellipsis: ${shown(cut)}`)
      }
    }
    const pen = document.createElement('canvas').getContext('2d')
    for (const input of document.querySelectorAll<HTMLInputElement>('input[placeholder]')) {
      const { font, paddingLeft, paddingRight } = getComputedStyle(input)
      if (pen !== null) pen.font = font
      const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
      if ((pen?.measureText(input.placeholder).width ?? 0) > room) {
        wrong.push(`its placeholder is cut: ${shown(input)}`)
      }
    }
    for (const table of document.querySelectorAll('table')) {
      const rows = table.querySelectorAll('tbody tr:not(.gap)').length
      if (rows > mostRows) wrong.push(`${rows} rows of ${table.ariaLabel} are in the document`)
    }
    return wrong
  }, MOST_ROWS)
}
