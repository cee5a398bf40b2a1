import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { install } from '../../referees/install.ts'
import { linesOf } from './book.ts'
import { exploredIn, withExplored } from './explored.ts'
import { judgeHistories } from './judgeHistories.ts'
import { playLive } from './live.ts'
import { PLANTED, type Planted } from './planted.ts'
import { play } from './play.ts'
import { PORCUPINE } from './porcupine.ts'

/**
 * `npm run histories`: Porcupine judges histories, then those with each planted fault, which it must refuse; the same of the local cloud.
 * `-- --seed N --histories N` for others; `-- --new` judges only histories that were not judged before, and adds them to the page;
 * `-- --only-install` builds the judge; `-- --write` prints the histories, with `--live` those of the local cloud, and judges none.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '2000' },
    new: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    'only-install': { type: 'boolean', default: false },
  },
})
const LEAST_OPERATIONS = 200
/** Histories with one fault that are tried before it counts as unnoticed. */
const TRIED = [20, 60, 180]
/** Of the local cloud, at once: they wait most of their time. */
const LIVE = 3

const PAGE = resolve(import.meta.dirname, 'README.md')
const seed = values.new ? exploredIn(pageText()).histories + 1 : Number(values.seed)
const histories = Number(values.histories)
if (values.write && values.live) {
  const seeds = Array.from({ length: histories }, (_, nth) => seed + nth)
  const all = await Promise.all(seeds.map(playLive))
  for (const operations of all) process.stdout.write(linesOf(operations))
} else if (values.write) {
  for (let nth = 0; nth < histories; nth += 1) process.stdout.write(linesOf(await play(seed + nth)))
} else {
  await install(PORCUPINE, console.log)
  if (!values['only-install']) await judgeAll()
}

async function judgeAll(): Promise<void> {
  const wrong = [await judgeShipped()]
  if (!values.new) {
    for (const planted of PLANTED) wrong.push(await judgePlanted(planted))
    wrong.push(await judgeLive())
    for (const planted of PLANTED.filter((each) => each.live)) wrong.push(await judgeLive(planted))
  }
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

/** The shipped code on the local cloud has no wrong history, the planted fault at least one. */
async function judgeLive(planted?: Planted): Promise<boolean> {
  const verdict = await judgeHistories({
    seed,
    histories: LIVE,
    live: true,
    ...(planted && { planted }),
  })
  const { refused, undecided, least } = verdict
  const isRight =
    planted === undefined
      ? refused + undecided === 0 && least >= LEAST_OPERATIONS && verdict.histories === LIVE
      : refused > 0
  const what = `on the local cloud${planted === undefined ? '' : `, ${planted.fault}`}`
  console.log(`${isRight ? '' : 'WRONG '}${what}: ${verdict.said}`)
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
