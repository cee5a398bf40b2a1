import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { install } from '../../referees/install.ts'
import { linesOf } from './book.ts'
import { exploredIn, withExplored } from './explored.ts'
import { judgeHistories } from './judgeHistories.ts'
import { PLANTED, type Planted } from './planted.ts'
import { play } from './play.ts'
import { PORCUPINE } from './porcupine.ts'

/**
 * `npm run histories`: Porcupine judges histories, then those with each planted fault, which it must refuse. `-- --seed N --histories N`
 * for others; `-- --new` judges only histories that were not judged before, and adds them to the page; `-- --only-install` builds the
 * judge; `-- --write` prints the histories, and judges none.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '2000' },
    new: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'only-install': { type: 'boolean', default: false },
  },
})
const LEAST_OPERATIONS = 200
/** Histories with one fault that are tried before it counts as unnoticed. */
const TRIED = [20, 60, 180]

const PAGE = resolve(import.meta.dirname, 'README.md')
const seed = values.new ? exploredIn(pageText()).histories + 1 : Number(values.seed)
const histories = Number(values.histories)
if (values.write) {
  for (let nth = 0; nth < histories; nth += 1) process.stdout.write(linesOf(await play(seed + nth)))
} else {
  await install(PORCUPINE, console.log)
  if (!values['only-install']) await judgeAll()
}

async function judgeAll(): Promise<void> {
  const wrong = [await judgeShipped()]
  if (!values.new) for (const planted of PLANTED) wrong.push(await judgePlanted(planted))
  const failed = wrong.filter(Boolean).length
  console.log(`${wrong.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** @returns whether it is wrong */
async function judgeShipped(): Promise<boolean> {
  const verdict = await judgeHistories({ seed, histories })
  const wrong = verdict.refused + verdict.undecided
  if (values.new) writeFileSync(PAGE, withExplored(pageText(), { ...verdict, wrong }))
  const isRight =
    verdict.histories === histories && verdict.least >= LEAST_OPERATIONS && wrong === 0
  console.log(isRight ? verdict.said : `WRONG the shipped code\n${verdict.said}`)
  return !isRight
}

async function judgePlanted(planted: Planted): Promise<boolean> {
  let tried = 0
  for (const most of TRIED) {
    const { refused } = await judgeHistories({ seed: seed + tried, histories: most, planted })
    tried += most
    if (refused > 0) {
      console.log(`refused ${refused} of ${most} histories: ${planted.fault}`)
      return false
    }
  }
  console.log(`WRONG ${planted.fault}: none of ${tried} histories is refused`)
  return true
}

function pageText(): string {
  return readFileSync(PAGE, 'utf8')
}
