import type { LocalCloud } from 'lineclear/local'
import type { BrokenShop } from '../brokenShop.ts'
import { typed, wordsOf } from '../doTasks.ts'
import { type Lane, openLane } from './lane.ts'
import type { Row } from './rows.ts'

/** What stands for the words in capitals: `{ QUEUE: 'orders-dead' }`. Other words are replaced as well. */
export type Fill = Readonly<Record<string, string>>

export interface Answer {
  readonly code: number
  /** Of the plan, and of what was done by it. */
  readonly text: string
}

/** An operator who has one row of the runbook before him. */
export interface Hand {
  readonly shop: BrokenShop
  /** A table of its own, for a fault that the shop has not. */
  lane(): Promise<Lane>
  /** The same queues, and another table: what was in the first one is lost. */
  restored(): Promise<Lane>
  /**
   * Types the row's command that begins with these words, and applies its plan if it has one.
   * @param where default: the shop
   */
  type(begins: string, fill?: Fill, where?: Lane): Promise<Answer>
  /** Types any other command, as `type` does. */
  also(command: string, where?: Lane): Promise<Answer>
}

/** What an operator finds out, or puts right, by one row. */
export type Case = (hand: Hand) => Promise<void>
export type Cases = Readonly<Record<string, Case>>

/** Does what one row says. @returns its commands that were not typed */
export async function follow(
  row: Row,
  one: Case,
  shop: BrokenShop,
  cloud: LocalCloud,
): Promise<readonly string[]> {
  const left = new Set(row.commands)
  const also: Hand['also'] = (command, where) => typeAndApply(wordsOf(command), where ?? shop)
  await one({
    shop,
    lane: () => openLane(cloud),
    restored: () => openLane(cloud, 'as it is'),
    also,
    type: async (begins, fill = {}, where) => {
      const command = row.commands.find((each) => each.startsWith(begins))
      if (command === undefined) throw new Error(`the row does not name: lineclear ${begins}`)
      left.delete(command)
      return typeAndApply(filledIn(command, fill), where ?? shop)
    },
  })
  return [...left]
}

function filledIn(command: string, fill: Fill): readonly string[] {
  const words = wordsOf(command).map((word) =>
    word.replaceAll(/[\w-]+(\/[\w-]+)?/g, (found) => fill[found] ?? found),
  )
  const open = words.find((word) => /^[A-Z][A-Z/-]+$/.test(word))
  if (open !== undefined) throw new Error(`${command}: nothing is given for ${open}`)
  return words
}

async function typeAndApply(words: readonly string[], where: BrokenShop | Lane): Promise<Answer> {
  const run = (...more: readonly string[]): Promise<Answer> =>
    'place' in where ? typed(where, [...words, ...more]) : where.typed(...words, ...more)
  const first = await run()
  const plan = /To make the change:[\s\S]* --apply ([0-9a-f]{8})\b/.exec(first.text)?.[1]
  if (plan === undefined) return first
  const { code, text } = await run('--apply', plan, '--why', 'the runbook says so')
  return { code, text: `${first.text}\n${text}` }
}
