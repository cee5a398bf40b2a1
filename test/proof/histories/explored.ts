/** What has been judged from seed 1 on, without gaps, as the page says it. */
export interface Explored {
  readonly histories: number
  readonly operations: number
  /** Refused or undecided. */
  readonly wrong: number
}

const ROW = /^\|([\d,]+)\|([\d,]+)\|([\d,]+)\|$/m

/** @throws Error when the page has no such row: a sum that begins anew would repeat its seeds */
export function exploredIn(page: string): Explored {
  const numbers = ROW.exec(page)
    ?.slice(1)
    .map((each) => Number(each.replaceAll(',', '')))
  if (numbers === undefined) throw new Error('the page does not say what has been explored')
  const [histories = 0, operations = 0, wrong = 0] = numbers
  return { histories, operations, wrong }
}

export function withExplored(page: string, more: Explored): string {
  const before = exploredIn(page)
  const sums = [
    before.histories + more.histories,
    before.operations + more.operations,
    before.wrong + more.wrong,
  ]
  return page.replace(ROW, `|${sums.map((sum) => sum.toLocaleString('en-US')).join('|')}|`)
}
