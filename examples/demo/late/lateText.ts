import { styleText } from 'node:util'
import { count } from '../numbers.ts'
import { LATE_SIDES, type LateBooks } from './late.ts'

const LABEL = 32
const COLUMN = 12

/** What late attempts have done to the ledger of each side. */
export function lateText(books: LateBooks | undefined, stream: NodeJS.WriteStream): string {
  if (books === undefined) return ''
  const { expected } = books.lineclear
  const row = (label: string, cells: readonly string[]): string =>
    `  ${label.padEnd(LABEL)}${cells.join('')}\n`
  const doubled = LATE_SIDES.map((side) => {
    const text = count(books[side].doubled).padStart(COLUMN)
    return styleText(books[side].doubled === 0 ? 'green' : 'red', text, { stream })
  })
  const heads = ['naive', 'Powertools', 'Lineclear'].map((name) => name.padStart(COLUMN))
  const intro = `${expected} more payments on Lambda Managed Instances: each one's first attempt reaches its
  timeout, runs on while a second one books the payment, and then wants to book it, too.`
  return `\n  ${intro}\n${row('', heads)}${row('  doubled by late attempts', doubled)}\n`
}

/** Whether Lineclear is. */
export function isWrong(books: LateBooks | undefined): boolean {
  return books !== undefined && books.lineclear.lost + books.lineclear.doubled > 0
}
