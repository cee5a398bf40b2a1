import { parseArgs } from 'node:util'
import { install } from '../../referees/install.ts'
import { linesOf } from './book.ts'
import { judgeHistories } from './judgeHistories.ts'
import { PLANTED, type Planted } from './planted.ts'
import { play } from './play.ts'
import { PORCUPINE } from './porcupine.ts'

/**
 * `npm run histories`: Porcupine judges histories, then those with each planted fault, which it must refuse. `-- --seed N --histories N`
 * for others; `-- --only-install` builds the judge; `-- --write` prints the histories, and judges none.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '2000' },
    write: { type: 'boolean', default: false },
    'only-install': { type: 'boolean', default: false },
  },
})
const LEAST_OPERATIONS = 200
/** Histories with one fault that are tried before it counts as unnoticed. */
const TRIED = [20, 60, 180]

const seed = Number(values.seed)
const histories = Number(values.histories)
if (values.write) {
  for (let nth = 0; nth < histories; nth += 1) process.stdout.write(linesOf(await play(seed + nth)))
} else {
  await install(PORCUPINE, console.log)
  if (!values['only-install']) await judgeAll()
}

async function judgeAll(): Promise<void> {
  const wrong = [await judgeShipped()]
  for (const planted of PLANTED) wrong.push(await judgePlanted(planted))
  const failed = wrong.filter(Boolean).length
  console.log(`${wrong.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** @returns whether it is wrong */
async function judgeShipped(): Promise<boolean> {
  const verdict = await judgeHistories({ seed, histories })
  const isRight =
    verdict.histories === histories &&
    verdict.least >= LEAST_OPERATIONS &&
    verdict.refused + verdict.undecided === 0
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
