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
    for (const table of document.querySelectorAll('table')) {
      const rows = table.querySelectorAll('tbody tr:not(.gap)').length
      if (rows > mostRows) wrong.push(`${rows} rows of ${table.ariaLabel} are in the document`)
    }
    return wrong
  }, MOST_ROWS)
}
