import { describe, expect, it } from 'vitest'
import type { OpenItem } from '../../../../src/tools/console/app/answers.ts'
import {
  itemAt,
  missingPage,
  NO_PAGES,
  PAGE,
  rowCount,
  type TaskPages,
  withPage,
} from '../../../../src/tools/console/app/tasks/taskPages.ts'

const page = (number: number, length = PAGE): readonly OpenItem[] =>
  Array.from({ length }, (_, at) => ({ id: `orders/${number * PAGE + at}` }) as OpenItem)

/** The first pages of a listing, read in order. */
function read(pages: number): TaskPages {
  let all = NO_PAGES
  for (let number = 0; number < pages; number += 1) {
    all = withPage(all, number, { tasks: page(number), next: `after ${number}` })
  }
  return all
}

describe('a long listing', () => {
  it('has a row behind the last known page, which loads the next one', () => {
    const all = read(2)
    expect(rowCount(all)).toBe(2 * PAGE + 1)
    expect(missingPage(all, 2 * PAGE - 5, 2 * PAGE + 1)).toBe(2)
    expect(all.cursors[2]).toBe('after 1')
  })

  it('ends where there is no cursor', () => {
    const all = withPage(read(2), 2, { tasks: page(2, 17), next: null })
    expect(rowCount(all)).toBe(2 * PAGE + 17)
    expect(missingPage(all, 2 * PAGE, 2 * PAGE + 17)).toBeUndefined()
  })

  it('never has more than 1,000 items in memory', () => {
    const all = read(500)
    const kept = [...all.pages.values()].reduce((sum, each) => sum + each.length, 0)
    expect(kept).toBeLessThanOrEqual(1_000)
    expect(rowCount(all)).toBe(500 * PAGE + 1)
  })

  it('reads a page again that it has dropped, and drops the farthest then', () => {
    const all = read(20)
    expect(itemAt(all, 3)).toBeUndefined()
    expect(missingPage(all, 0, 30)).toBe(0)
    const back = withPage(all, 0, { tasks: page(0), next: 'after 0' })
    expect(itemAt(back, 3)?.id).toBe('orders/3')
    expect(itemAt(back, 19 * PAGE)).toBeUndefined()
    expect(back.cursors).toEqual(all.cursors)
  })

  it('asks for nothing whose cursor is not known', () => {
    expect(missingPage(read(2), 10 * PAGE, 11 * PAGE)).toBeUndefined()
    expect(rowCount(NO_PAGES)).toBe(0)
  })
})
