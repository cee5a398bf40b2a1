import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { CAUSES, type Cause } from '../../broken/shop.ts'
import { askHolder, lockFolder } from '../../../src/tools/console/dev/localFiles.ts'

const FOLDER = '.lineclear'
/** Where `lineclear --local` looks for the cloud. */
export const CLOUD_FILE = `${FOLDER}/local.json`
export const LOG_FILE = `${FOLDER}/demo.log`

/** What a demo that stays up has in the working directory. It is gone when it ends. */
export interface Place extends Disposable {
  /** Collects what the functions log: why each copy was dropped, which no table keeps. */
  log(line: string): void
  /** Takes causes that `--fix` repairs, from now on. */
  onRepair(repair: (cause: Cause) => void): void
}

/** @returns undefined: another demo, or `lineclear dev`, is up in this folder; nothing of it is touched */
export async function takePlace(): Promise<Place | undefined> {
  let repairIt: ((cause: Cause) => void) | undefined
  const release = await lockFolder('.', (path) => {
    const cause = CAUSES.find((each) => path === `/${each}`)
    if (cause === undefined || repairIt === undefined) return undefined
    repairIt(cause)
    return 'repaired'
  })
  if (release === undefined) return undefined
  mkdirSync(FOLDER, { recursive: true })
  // Left by a demo that was killed.
  rmSync(CLOUD_FILE, { force: true })
  const log = openSync(LOG_FILE, 'w')
  return {
    log: (line) => void writeSync(log, `${line}\n`),
    onRepair: (repair) => {
      repairIt = repair
    },
    [Symbol.dispose]: () => {
      closeSync(log)
      for (const file of [CLOUD_FILE, LOG_FILE]) rmSync(file, { force: true })
      if (readdirSync(FOLDER).length === 0) rmdirSync(FOLDER)
      release()
    },
  }
}

/** @returns whether a broken shop is up in this folder, and has taken it */
export async function repairInPlace(cause: Cause): Promise<boolean> {
  return (await askHolder('.', `/${cause}`)) !== undefined
}
